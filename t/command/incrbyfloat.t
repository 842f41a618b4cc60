#!/usr/bin/perl

# INCRBYFLOAT, INCREX

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;
my $r3 = $s->client(proto => 3);

is($r->cmd(qw/incrbyfloat a 1/), '$1 1', 'a missing key');
is($r->cmd(qw/incrbyfloat a 0.25/), '$4 1.25', 'a fraction');
is($r->cmd(qw/incrbyfloat a -1.25/), '$1 0', 'and back');
is($r->cmd(qw/set a 3.0e3/), '+OK', 'an exponent');
is($r->cmd(qw/incrbyfloat a 200/), '$4 3200', 'is read');
is($r->cmd(qw/set a 5.0e3/), '+OK', 'another');
is($r->cmd(qw/incrbyfloat a 2.0e2/), '$4 5200', 'and another');
is($r->cmd(qw/set a 17179869184/), '+OK', 'beyond 32 bits');
is($r->cmd(qw/incrbyfloat a 1.5/), '$13 17179869185.5', 'and a half');
is($r->cmd(qw/set a 3/), '+OK', 'three');
is($r->cmd(qw/incrbyfloat a 1.1/), '$3 4.1', 'is not rounded');
is($r->cmd(qw/incrbyfloat b 0.00000000000000001/), '$19 0.00000000000000001',
    'seventeen digits');
is($r->cmd(qw/incrbyfloat b 0.000000000000000001/), '$19 0.00000000000000001',
    'and no more');
is($r->cmd(qw/incrbyfloat c 0x1p3/), '$1 8', 'what strtold takes');
is($r->cmd(qw/incrbyfloat c -8/), '$1 0', 'no minus before zero');
is($r->cmd(qw/set a 1 ex 100/), '+OK', 'an expiry');
is($r->cmd(qw/incrbyfloat a 1/), '$1 2', 'is kept');
is($r->cmd(qw/ttl a/), ':100', 'by it');
is($r->cmd(qw/incr a/), ':3', 'what is whole can be incremented');
is(length($r->cmd(qw/incrbyfloat big 1e4000/)), 6 + 4000, 'long ones');

for ('', 'x', '1x', 'nan', '1e5000', '1e-5000', '1 ', ' 1', "1\0") {
    is($r->cmd('incrbyfloat', 'a', $_), '-ERR value is not a valid float',
        "\"$_\" is none");
    $r->cmd('set', 'bad', $_);
    is($r->cmd('incrbyfloat', 'bad', 1), '-ERR value is not a valid float',
        "nor as a value");
}

is($r->cmd(qw/incrbyfloat a inf/),
    '-ERR increment would produce NaN or Infinity', 'infinity');
is($r->cmd(qw/set a inf/), '+OK', 'as a value');
is($r->cmd(qw/incrbyfloat a -inf/),
    '-ERR increment would produce NaN or Infinity', 'from itself');
is($r->cmd(qw/incrbyfloat a/),
    '-ERR wrong number of arguments for \'incrbyfloat\' command', 'too few');
is($r3->cmd(qw/incrbyfloat d 1.5/), '$3 1.5', 'a bulk in RESP3, too');

# increx

is($r->cmd(qw/increx n/), '*2 :1 :1', 'by one');
is($r->cmd(qw/increx n byint 5/), '*2 :6 :5', 'by some');
is($r->cmd(qw/increx n byint -10/), '*2 :-4 :-10', 'down');
is($r->cmd(qw/increx n byfloat 0.5/), '*2 $4 -3.5 $3 0.5', 'by a fraction');
is($r3->cmd(qw/increx n byfloat -0.5/), '*2 ,-4 ,-0.5', 'doubles in RESP3');
is($r3->cmd(qw/increx n/), '*2 :-3 :1', 'integers else');

is($r->cmd(qw/set n 10/), '+OK', 'ten');
is($r->cmd(qw/increx n byint 10 ubound 15/), '*2 :10 :0', 'too much');
is($r->cmd(qw/increx n byint 5 ubound 15/), '*2 :15 :5', 'just right');
is($r->cmd(qw/increx n byint 5 ubound 18 saturate/), '*2 :18 :3', 'a part');
is($r->cmd(qw/increx n byint 5 ubound 8 saturate/), '*2 :8 :-10',
    'the bound, even if it is on the other side');
is($r->cmd(qw/increx n byint -5 lbound 5/), '*2 :8 :0', 'too little');
is($r->cmd(qw/increx n byint -5 lbound 5 saturate/), '*2 :5 :-3', 'a part');
is($r->cmd(qw/increx n byint -1 ubound 3/), '*2 :5 :0', 'still beyond');
is($r->cmd(qw/increx n byint -2 ubound 3/), '*2 :3 :-2', 'no longer beyond');
is($r->cmd(qw/increx none byint 5 lbound 10/), '*2 :0 :0', 'a missing key');
is($r->cmd(qw/exists none/), ':0', 'that is not made');
is($r->cmd(qw/increx n byfloat 9.5 ubound 5.5/), '*2 $1 3 $1 0',
    'a fraction too much');
is($r->cmd(qw/increx n byfloat 9.5 ubound 5.5 saturate/),
    '*2 $3 5.5 $3 2.5', 'a part of it');

is($r->cmd(qw/set n 9223372036854775800/), '+OK', 'close to the end');
is($r->cmd(qw/increx n byint 9223372036854775800/),
    '*2 :9223372036854775800 :0', 'beyond the end');
is($r->cmd(qw/increx n byint 1 saturate ubound -9223372036854775808/),
    '-ERR applied increment would overflow', 'too far back');
is($r->cmd(qw/increx n byint 9223372036854775800 saturate/),
    '*2 :9223372036854775807 :7', 'to the end');

is($r->cmd(qw/set n 1/), '+OK', 'one');
is($r->cmd(qw/increx n ex 100/), '*2 :2 :1', 'and a time');
is($r->cmd(qw/ttl n/), ':100', 'in seconds');
is($r->cmd(qw/increx n px 200000 enx/), '*2 :3 :1', 'only if there is none');
is($r->cmd(qw/ttl n/), ':100', 'there was one');
is($r->cmd(qw/increx n/), '*2 :4 :1', 'without a time');
is($r->cmd(qw/ttl n/), ':100', 'it is kept');
is($r->cmd(qw/increx n byint 9 ubound 5 ex 500/), '*2 :4 :0', 'too much');
is($r->cmd(qw/ttl n/), ':100', 'sets no time');
is($r->cmd(qw/increx n persist/), '*2 :5 :1', 'the end of it');
is($r->cmd(qw/ttl n/), ':-1', 'for ever');
is($r->cmd(qw/increx n enx px 200000/), '*2 :6 :1', 'if there is none');
is($r->cmd(qw/ttl n/), ':200', 'there was none');
is($r->cmd(qw/increx n exat 1 enx/), '*2 :7 :1', 'a time that is past');
is($r->cmd(qw/get n/), '$1 7', 'does nothing if there is one');
is($r->cmd(qw/increx n exat 1/), '*2 :8 :1', 'else');
is($r->cmd(qw/exists n/), ':0', 'removes');

for ([ 'foo' ], [ 'byint' ], [ qw/byint 1 byfloat 1/ ], [ qw/byint 1 byint 1/ ],
     [ qw/ex 1 px 1/ ], [ qw/ex 1 ex 1/ ], [ qw/ex 1 persist/ ],
     [ qw/persist enx/ ], [ qw/enx persist/ ], [ qw/enx enx ex 1/ ],
     [ qw/saturate saturate/ ], [ qw/lbound 1 lbound 1/ ], [ 'lbound' ],
     [ qw/ubound 1 ubound 1/ ], [ qw/keepttl/ ], [ qw/persist persist/ ])
{
    is($r->cmd(qw/increx n/, @$_), '-ERR syntax error', "@$_");
}

is($r->cmd(qw/increx n enx/), '-ERR ENX flag requires an expiration', 'enx');
is($r->cmd(qw/increx n byint 1.5/),
    '-ERR Increment is not an integer or out of range', 'no integer');
is($r->cmd(qw/increx n byfloat x/), '-ERR Increment is not a valid float',
    'no float');
is($r->cmd(qw/increx n byfloat inf/),
    '-ERR BYFLOAT increment cannot be Infinity', 'infinity');
is($r->cmd(qw/increx n lbound 1.5/),
    '-ERR LBOUND is not an integer or out of range', 'no bound');
is($r->cmd(qw/increx n byfloat 1 ubound x/),
    '-ERR UBOUND is not a valid float', 'no upper one');
is($r->cmd(qw/increx n lbound 2 ubound 1/),
    '-ERR LBOUND can\'t be greater than UBOUND', 'bounds that cross');
is($r->cmd(qw/increx n ex 0/),
    '-ERR invalid expire time in \'increx\' command', 'no time');
is($r->cmd(qw/set n x/), '+OK', 'text');
is($r->cmd(qw/increx n/), '-ERR value is not an integer or out of range',
    'is no integer');
is($r->cmd(qw/increx n byfloat 1/), '-ERR value is not a valid float',
    'nor a float');
is($r->cmd(qw/set n inf/), '+OK', 'infinity');
is($r->cmd(qw/increx n byfloat 1/), '-ERR value cannot be Infinity',
    'is a float, but');
is($r->cmd(qw/increx/),
    '-ERR wrong number of arguments for \'increx\' command', 'too few');

done_testing();
