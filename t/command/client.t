#!/usr/bin/perl

# CLIENT

use strict;
use warnings;

use Olivine;
use Time::HiRes qw(sleep);

my $s = olivine();
my $r = $s->client;

is($r->cmd(qw/client getname/), '$-1', 'no name');
is($r->cmd(qw/client setname joe/), '+OK', 'a name');
is($r->cmd(qw/client getname/), '$3 joe', 'is told');
is($r->cmd('client', 'setname', 'a b'),
    '-ERR Client names cannot contain spaces, newlines or special '
    . 'characters.',
    'no blanks');
is($r->cmd('client', 'setname', "a\nb"),
    '-ERR Client names cannot contain spaces, newlines or special '
    . 'characters.',
    'no lines');
is($r->cmd('client', 'setname', 'ab'),
    '-ERR Client names cannot contain spaces, newlines or special '
    . 'characters.',
    'nothing that is not printed');
is($r->cmd(qw/client getname/), '$3 joe', 'it stays');
is($r->cmd('client', 'setname', ''), '+OK', 'an empty one');
is($r->cmd(qw/client getname/), '$-1', 'is none');
is($r->cmd(qw/client setinfo lib-name redis-py/), '+OK', 'a library');
is($r->cmd(qw/client setinfo LIB-VER 5.0.1/), '+OK', 'its version');
is($r->cmd('client', 'setinfo', 'lib-name', 'a b'),
    '-ERR lib-name cannot contain spaces, newlines or special characters.',
    'no blanks');
is($r->cmd('client', 'setinfo', 'Lib-Ver', "a\n"),
    '-ERR Lib-Ver cannot contain spaces, newlines or special characters.',
    'no lines');
is($r->cmd(qw/client setinfo nope x/), '-ERR Unrecognized option \'nope\'',
    'what there is not');
is($r->cmd(qw/client setinfo lib-name/),
    '-ERR wrong number of arguments for \'client|setinfo\' command',
    'too few');
is($r->cmd(qw/client setname/),
    '-ERR wrong number of arguments for \'client|setname\' command',
    'too few');
is($r->cmd(qw/client id x/),
    '-ERR wrong number of arguments for \'client|id\' command',
    'too many');
is($r->cmd(qw/client info x/),
    '-ERR wrong number of arguments for \'client|info\' command',
    'too many');
is($r->cmd(qw/client getname x/),
    '-ERR wrong number of arguments for \'client|getname\' command',
    'too many');
is($r->cmd(qw/client/),
    '-ERR wrong number of arguments for \'client\' command',
    'too few');
is($r->cmd(qw/client nope/),
    '-ERR unknown subcommand \'nope\'. Try CLIENT HELP.',
    'a subcommand there is none of');
is($r->cmd(qw/CLIENT noPe a b/),
    '-ERR unknown subcommand \'noPe\'. Try CLIENT HELP.',
    'as it was written');

like($r->cmd(qw/client id/), qr/^:\d+$/, 'a number');

my ($id) = $r->cmd(qw/client id/) =~ /(\d+)/;
my ($other) = $s->client->cmd(qw/client id/) =~ /(\d+)/;
cmp_ok($other, '>', $id, 'that grows');

$r->cmd(qw/client setname joe/);
$r->cmd(qw/select 3/);

my $info = $r->value(qw/client info/);

like($info, qr/^id=$id addr=127\.0\.0\.1:\d+ laddr=127\.0\.0\.1:$s->{port} /,
    'info begins with number and addresses');
like($info, qr/ fd=\d+ name=joe age=\d+ idle=0 flags=N db=3 sub=0 psub=0 /,
    'name, age, database');
like($info, qr/ cmd=client\|info user=default redir=-1 resp=2 /,
    'the command, the protocol');
like($info, qr/ lib-name=redis-py lib-ver=5\.0\.1 io-thread=[01] tot-net-in=\d+ tot-net-out=\d+ tot-cmds=\d+\n$/,
    'the library, totals');

$r->raw(qw/hello 3/);
like($r->raw(qw/client info/), qr/^=\d+\r\ntxt:id=$id .* resp=3 /s,
    'verbatim in RESP3');
is($r->raw(qw/client getname/), "\$3\r\njoe\r\n", 'a name in RESP3');
$r->cmd('client', 'setname', '');
is($r->raw(qw/client getname/), "_\r\n", 'no name in RESP3');

# names of any length, up to a limit

for my $n (40, 96, 97, 300, 600, 1023, 1024) {
    my $name = join '', map { chr 97 + $_ % 26 } 1 .. $n;
    my @r = $r->pipe([ qw(client setname), $name ],
        [ qw(client setinfo lib-ver), scalar reverse $name ], [ qw(client getname) ]);
    is("$r[0] $r[1] $r[2]", "+OK +OK \$$n $name", "a name of $n bytes");
    my $line = $r->value(qw/client list id/, $id);
    ok($line =~ / name=\Q$name\E age/ && $line =~ / lib-name=redis-py lib-ver=\Q@{[ scalar reverse $name ]}\E io/,
        'is listed whole');
}

is($r->cmd(qw/client setname/, 'n' x 1025), '-ERR Client names and library '
    . 'names cannot be longer than 1024 bytes.', 'a longer one');
is($r->cmd(qw/client setinfo lib-name/, 'n' x 1025), '-ERR Client names and '
    . 'library names cannot be longer than 1024 bytes.', 'a longer library');
is($r->cmd(qw/hello 3 setname/, 'n' x 1025), '-ERR Client names and library '
    . 'names cannot be longer than 1024 bytes.', 'or with HELLO');
$r->cmd(qw/client setinfo lib-ver 1/);
is($r->cmd(qw/client setname joe/), '+OK', 'a short one again');

# flags and numbers of another client

$r->cmd(qw/hello 2/);

my $two = $s->client;
my ($second) = $two->cmd(qw/client id/) =~ /(\d+)/;

$two->cmd(qw/client setname two/);
$two->cmd(qw/select 5/);
$two->cmd(qw/client no-touch on/);
$two->cmd(qw/client no-evict on/);
$two->raw(qw/hello 3/);
$two->cmd(qw/set k v/);

sleep 0.05;
my $seen = $r->value(qw/client list id/, $second);
like($seen, qr/^id=$second .* name=two .* flags=eT db=5 .* multi=-1 watch=0 qbuf=0 qbuf-free=0 argv-mem=0 .* obl=0 oll=0 omem=0 .* cmd=set user=default redir=-1 resp=3 /,
    'another client');

my ($in, $out, $cmds) = $seen =~ /tot-net-in=(\d+) tot-net-out=(\d+) tot-cmds=(\d+)/;
$two->cmd('ping');
$s->until(sub { $r->value(qw/client list id/, $second)
    !~ / tot-net-out=$out / });
$seen = $r->value(qw/client list id/, $second);
like($seen, qr/ cmd=ping /, 'its last command');
is(join(' ', $seen =~ /tot-net-in=(\d+) tot-net-out=(\d+) tot-cmds=(\d+)/),
    join(' ', $in + 14, $out + 7, $cmds + 1), 'its totals');

$two->cmd('nope');
like($r->value(qw/client list id/, $second), qr/ cmd=NULL /,
    'an unknown command');

$two->cmd(qw/watch a b/);
$two->cmd('multi');
$two->cmd('ping');
like($r->value(qw/client list id/, $second), qr/ flags=xeT .* multi=1 watch=2 /,
    'a transaction');
$two->cmd('reset');
like($r->value(qw/client list id/, $second), qr/ name= .* flags=N db=0 .* multi=-1 watch=0 .* cmd=reset .* resp=2 /,
    'RESET');

$two->write("*2\r\n\$4\r\nping\r\n\$9\r\nabc");
$s->until(sub { $r->value(qw/client list id/, $second) !~ / qbuf=0 / });
like($r->value(qw/client list id/, $second), qr/ qbuf=\d+ /, 'a part of one');
$two->close;

ok($s->until(sub { $r->value(qw/client list id/, $second) eq '' }),
    'one that left is not listed');

# lists

my @three = map { $s->client } 1 .. 3;
my @ids = map { $_->cmd(qw/client id/) =~ /(\d+)/ } @three;

is(join(' ', ids($r->value(qw/client list id/, reverse @ids))), "@ids",
    'by number, in their order');
is(join(' ', ids($r->value(qw/client list id/, $ids[0], 999999))), $ids[0],
    'one that is not there');
is($r->value(qw/client list type pubsub/), '', 'none of that type');
is($r->value(qw/client list type replica/), '', 'none of that type');
my @all = ids($r->value(qw/client list type normal/));
ok(scalar(grep { $_ == $id } @all), 'normal ones');
is(join(' ', @all), join(' ', sort { $a <=> $b } @all), 'the oldest first');

is($r->cmd(qw/client list type foo/), '-ERR Unknown client type \'foo\'',
    'a type there is none of');
is($r->cmd(qw/client list id/), '-ERR syntax error', 'no number');
is($r->cmd(qw/client list type/), '-ERR syntax error', 'no type');
is($r->cmd(qw/client list foo/), '-ERR syntax error', 'a word');
is($r->cmd(qw/client list id x/), '-ERR Invalid client ID', 'no number');
is($r->cmd(qw/client list id 0/), '-ERR Invalid client ID', 'nobody\'s');
is($r->cmd(qw/client list id 1 2 x/), '-ERR Invalid client ID', 'or later');

$three[0]->cmd(qw/client setname alpha/);
$three[1]->cmd(qw/client setname beta/);
$three[1]->cmd(qw/select 2/);
$three[2]->cmd(qw/client setinfo lib-name lib/);
my ($addr) = $three[2]->value(qw/client info/) =~ / addr=(\S+)/;

my @filters = (
    [ [qw(name alpha)], $ids[0] ],
    [ [qw(name alpha name beta)], $ids[1] ],
    [ ['id', @ids, qw(not-name alpha)], "$ids[1] $ids[2]" ],
    [ ['id', @ids, qw(db 2)], $ids[1] ],
    [ ['id', @ids, qw(not-db 2)], "$ids[0] $ids[2]" ],
    [ ['id', @ids, qw(lib-name lib)], $ids[2] ],
    [ ['id', @ids, qw(not-lib-name lib)], "$ids[0] $ids[1]" ],
    [ ['id', @ids, 'not-id', $ids[0]], "$ids[1] $ids[2]" ],
    [ ['id', $ids[0], 'id', $ids[1]], "$ids[0] $ids[1]" ],
    [ ['addr', $addr], $ids[2] ],
    [ ['id', @ids, 'not-addr', $addr], "$ids[0] $ids[1]" ],
    [ ['id', @ids, 'ip', '127.0.0.1'], "@ids" ],
    [ ['id', @ids, 'ip', '127.0.0.2'], '' ],
    [ ['id', @ids, 'laddr', "127.0.0.1:$s->{port}"], "@ids" ],
    [ ['id', @ids, 'flags', 'N'], "@ids" ],
    [ ['id', @ids, 'flags', 'b'], '' ],
    [ ['id', @ids, 'maxage', 1000], '' ],
    [ ['id', @ids, 'idle', 1000], '' ],
    [ ['id', @ids, 'user', 'default'], "@ids" ],
    [ ['id', @ids, $id, 'skipme', 'yes'], "@ids" ],
);

for (@filters) {
    my ($words, $want) = @$_;
    is(join(' ', ids($r->value(qw/client list/, @$words))), $want,
        "list @$words");
}

is($r->cmd(qw/client list user joe/), '-ERR No such user \'joe\'', 'no user');
is($r->cmd(qw/client list flags Z/),
    '-ERR Unknown flags found in the provided filter: Z', 'no flag');
is($r->cmd(qw/client list db 99/),
    '-ERR DB number should be between 0 and 15', 'no database');
is($r->cmd(qw/client list db x/),
    '-ERR DB is not an integer or out of range', 'no number');
is($r->cmd(qw/client list idle 0/),
    '-ERR idle should be greater than 0', 'no time');
is($r->cmd(qw/client list not-maxage 5/), '-ERR syntax error', 'no opposite');

# kill

is($r->cmd('client', 'kill', $addr), '+OK', 'the old form');
ok($three[2]->closed, 'and it is closed');
is($r->cmd('client', 'kill', $addr), '-ERR No such client', 'only once');
is($r->cmd(qw/client kill id 999999/), ':0', 'nobody');
is($r->cmd(qw/client kill id/, $ids[0]), ':1', 'by number');
ok($three[0]->closed, 'it is closed');
is($r->cmd(qw/client kill name beta/), ':1', 'by name');
ok($three[1]->closed, 'it is closed');
is($r->cmd(qw/client kill id/, $id), ':0', 'oneself is passed over');
is($r->cmd(qw/client kill id/, $id, qw/skipme yes/), ':0', 'that is why');
is($r->cmd(qw/client kill maxage 10000/), ':0', 'nobody is so old');

is($r->cmd(qw/client kill/),
    '-ERR wrong number of arguments for \'client|kill\' command', 'too few');
is($r->cmd(qw/client kill foo bar/), '-ERR syntax error', 'a word');
is($r->cmd(qw/client kill id x/),
    '-ERR client-id should be greater than 0', 'no number');
is($r->cmd(qw/client kill id 5 skipme/), '-ERR syntax error', 'no value');
is($r->cmd(qw/client kill id 5 skipme foo/), '-ERR syntax error', 'or none');
is($r->cmd(qw/client kill maxage x/),
    '-ERR maxage is not an integer or out of range', 'no age');
is($r->cmd(qw/client kill maxage -1/),
    '-ERR maxage should be greater than 0', 'no age');
is($r->cmd(qw/client kill user nope/), '-ERR No such user \'nope\'',
    'no user');

my $me = $s->client;
my ($mine) = $me->cmd(qw/client id/) =~ /(\d+)/;
$me->write($me->frame(qw/client kill skipme no id/, $mine)
    . $me->frame('ping'));
is($me->reply, ':1', 'who kills itself gets the reply');
ok($me->closed, 'and nothing more');

# replies

my $q = $s->client;
$q->write(join '', map { $q->frame(@$_) } [qw(client reply off)], ['ping'],
    [qw(set q 1)], ['nope'], [qw(get q)], [qw(client reply skip)], ['ping'],
    [qw(client reply on)], ['echo', 'back']);
is($q->reply, '+OK', 'no reply before ON');
is($q->reply, '$4 back', 'those behind it');
$q->write(join '', map { $q->frame(@$_) } [qw(client reply skip)], ['ping'],
    ['echo', 'two'], [qw(client reply skip)], [qw(client reply on)],
    ['echo', 'three']);
is($q->reply, '$3 two', 'SKIP is for one');
is($q->reply, '+OK', 'but not for ON');
is($q->reply, '$5 three', 'it is over');
is($q->cmd(qw/client reply foo/), '-ERR syntax error', 'a word');

my $big = 'x' x 200000;
$q->cmd('set', 'big', $big);
$q->write(join '', map { $q->frame(@$_) } [qw(client reply skip)],
    [qw(get big)], ['ping']);
is($q->reply, '+PONG', 'a big reply is dropped');
is($q->cmd(qw/del big/), ':1', 'and nothing holds it');

# what there is none of yet

is($r->cmd(qw/client getredir/), ':-1', 'no redirection');
is($r->cmd(qw/client trackinginfo/),
    '*6 $5 flags *1 $3 off $8 redirect :-1 $8 prefixes *0', 'no tracking');
is($r->cmd(qw/client unblock 5/), ':0', 'nobody blocks');
is($r->cmd(qw/client unblock x/),
    '-ERR value is not an integer or out of range', 'no number');
is($r->cmd(qw/client unblock 5 foo/),
    '-ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR', 'no reason');
is($r->cmd(qw/client no-touch foo/), '-ERR syntax error', 'no switch');
is($r->cmd(qw/client no-evict foo/), '-ERR syntax error', 'no switch');
is($r->cmd(qw/client tracking on/),
    '-ERR unknown subcommand \'tracking\'. Try CLIENT HELP.', 'not there');

# buffers of replies, and which worker it is

{
    my $slow = $s->client;
    $slow->cmd(qw/client setname slow/);
    my $row = sub { ($r->value(qw/client list/) =~ /^(.* name=slow .*)$/m)[0] };

    like($row->(), qr/ rbs=0 rbp=\d{1,2} obl=0 oll=0 omem=0 /, 'no reply');
    $slow->cmd('set', 'rb', 'r' x 1000);
    $slow->cmd(qw/get rb/);
    like($row->(), qr/ rbs=0 rbp=1009 /, 'the largest reply');
    $slow->cmd(qw/ping/);
    like($row->(), qr/ rbs=0 rbp=1009 /, 'is kept');
    select undef, undef, undef, 1.1;
    $slow->cmd(qw/ping/);
    like($row->(), qr/ rbs=0 rbp=7 /, 'but not when it paused');
    $r->cmd(qw/del rb/);
    $slow->close;

    my ($thread) = $r->value(qw/client info/) =~ / io-thread=(\d+) /;
    my ($clients) = $r->value(qw/info threads/)
        =~ /^io_thread_$thread:clients=(\d+)/m;
    cmp_ok($clients, '>=', 1, 'its worker has it');
}

my $help = $r->value(qw/client help/);
is($help->[0], 'CLIENT <subcommand> [<arg> [value] [opt] ...]. '
    . 'Subcommands are:', 'help');
ok((grep { /^SETNAME\b/ } @$help), 'names them');

done_testing();


sub ids { return $_[0] =~ /^id=(\d+) /mg }
