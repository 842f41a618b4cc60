#!/usr/bin/perl

# AUTH, requirepass

use strict;
use warnings;

use Olivine;

my $s = olivine(params => { requirepass => 'open sesame' });
my $r = $s->client;

my $noauth = '-NOAUTH Authentication required.';
my $wrong = '-WRONGPASS invalid username-password pair or user is disabled.';

is($r->cmd(qw/get k/), $noauth, 'nothing goes');
is($r->cmd('ping'), $noauth, 'not even ping');
is($r->cmd(qw/client id/), $noauth, 'nor a subcommand');
is($r->cmd(qw/config get */), $noauth, 'nor a look at the password');
is($r->cmd('debug'), "-ERR wrong number of arguments for 'debug' command",
    'arity comes first');
is($r->cmd('nope'), "-ERR unknown command 'nope', "
    . 'with args beginning with: ', 'and so do unknown commands');
like($r->cmd('hello'), qr/^-NOAUTH HELLO must be called with the client /,
    'hello wants it');
like($r->cmd(qw/hello 3/), qr/^-NOAUTH HELLO /, 'in either protocol');
is($r->cmd(qw/hello 3 auth default nope/), $wrong, 'a wrong one in hello');
is($r->cmd(qw/auth nope/), $wrong, 'a wrong one');
is($r->cmd('auth', ''), $wrong, 'none');
is($r->cmd('auth', 'open sesam'), $wrong, 'one too short');
is($r->cmd('auth', 'open sesame!'), $wrong, 'one too long');
is($r->cmd('auth', 'open sesameopen sesame'), $wrong, 'one twice');
is($r->cmd('auth', 'joe', 'open sesame'), $wrong, 'of another user');
is($r->cmd('auth', 'Default', 'open sesame'), $wrong, 'or almost');
is($r->cmd(qw/auth a b c/), '-ERR syntax error', 'too many words');
is($r->cmd('auth'), "-ERR wrong number of arguments for 'auth' command",
    'too few');
is($r->cmd(qw/get k/), $noauth, 'still nothing goes');

is($r->cmd('auth', 'open sesame'), '+OK', 'the right one');
is($r->cmd(qw/get k/), '$-1', 'all goes');
is($r->cmd(qw/auth nope/), $wrong, 'a wrong one later');
is($r->cmd(qw/get k/), '$-1', 'takes nothing away');
is($r->cmd('reset'), '+RESET', 'reset');
is($r->cmd(qw/get k/), $noauth, 'does');
is($r->cmd('auth', 'default', 'open sesame'), '+OK', 'with the user');
is($r->cmd(qw/get k/), '$-1', 'all goes');

$r = $s->client;
like($r->raw('hello', 3, 'auth', 'default', 'open sesame', 'setname', 'joe'),
    qr/^%7\r\n/, 'all at once');
is($r->raw(qw/client getname/), "\$3\r\njoe\r\n", 'with a name');

# in one write, and more than a client may send before it is known

$r = $s->client;
is_deeply([ $r->pipe([ 'auth', 'open sesame' ],
                      [ 'set', 'k', 'x' x 20000 ],
                      [ 'strlen', 'k' ]) ],
    [ '+OK', '+OK', ':20000' ], 'auth and more in one write');

# the password changes

my $late = $s->client;
is($late->cmd('ping'), $noauth, 'a client that has not said it');
is($r->cmd(qw/config set requirepass other/), '+OK', 'another one');
is($r->cmd(qw/config get requirepass/), '*2 $11 requirepass $5 other',
    'can be read');
is($r->cmd('ping'), '+PONG', 'who was in, stays in');
is($late->cmd('auth', 'open sesame'), $wrong, 'the old one is wrong');
is($late->cmd(qw/auth other/), '+OK', 'the new one is right');

$late = $s->client;
is($r->cmd('config', 'set', 'requirepass', ''), '+OK', 'none');
is($late->cmd('ping'), '+PONG', 'all are in');
is($late->cmd(qw/auth x/), '-ERR AUTH <password> called without any password '
    . 'configured for the default user. Are you sure your configuration is '
    . 'correct?', 'auth has nothing to look at');
is($late->cmd(qw/auth default x/), '+OK', 'the user takes any');

done_testing();
