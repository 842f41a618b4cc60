#!/usr/bin/perl

# olivine_allow_commands, olivine_deny_commands, olivine_allow_keys.
# workers: 1

use strict;
use warnings;

use Olivine;

my $NO = '-NOPERM User default has no permissions to run the';
my $KEY = '-NOPERM No permissions to access a key';

# what is taken, and what is said to what is not

my $top = $Olivine::top;
my $dir = "$top/build/t/olivine_rules-" . ($ENV{OLIVINE_HOST} || 'standalone');
mkdir $dir;

my $t = Olivine::test($dir);

taken('olivine_allow_commands get mget;', 'names');
taken('olivine_allow_commands @read @connection;', 'categories');
taken('olivine_deny_commands SET Config|Set;', 'in any case');
taken('olivine_deny_commands flushall ~ ^client;', 'a regular expression');
taken('olivine_deny_commands ~* ^FLUSH ~ "x(p)?ire$";', 'several');
taken('olivine_deny_commands off;', 'none');
taken('olivine_allow_keys ~ ^user: session:*;', 'keys');
taken('olivine_allow_keys a; olivine_allow_keys b;', 'more than once');

refused('olivine_deny_commands gett;',
    qr/unknown command "gett", did you mean "get"\? in .*:3$/, 'a slip');
refused('olivine_deny_commands config|sett;',
    qr/unknown command "config\|sett", did you mean "config\|set"\?/,
    'another one');
refused('olivine_allow_commands nothing;',
    qr/unknown command "nothing", it is one of COMMAND LIST/, 'no command');
refused('olivine_allow_commands @rea;',
    qr/unknown category "\@rea" of commands/, 'no category');
refused('olivine_deny_commands ~ ^GET$;',
    qr/no command matches "\^GET\$", their names are in lower case/,
    'a regular expression that matches none');
refused('olivine_deny_commands ~ "(";', qr/pcre2?_compile\(\) failed/,
    'a wrong one');
refused('olivine_deny_commands ~;', qr/no regular expression behind "~"/,
    'a missing one');
refused('olivine_allow_keys ~user;',
    qr/"~user" begins with "~": a regular expression is a word of its own/,
    'a missing blank');
refused('olivine_allow_keys;', qr/invalid number of arguments/, 'no word');

# servers of one zone

my %port = map { $_ => port($_) } 1 .. 6;

my $stream = <<STREAM;
server { listen 127.0.0.1:$port{1}; olivine main;
         olivine_allow_commands \@read ping multi exec;
         olivine_deny_commands  ~ ^s; }
server { listen 127.0.0.1:$port{2}; olivine main;
         olivine_allow_keys ~ ^user:[0-9]+\$ ~* ^X session:* one; }
server { listen 127.0.0.1:$port{3}; olivine main;
         olivine_deny_commands off; }
server { listen 127.0.0.1:$port{4}; olivine main;
         olivine_deny_commands dbsize; olivine_allow_keys pre*; }
olivine_deny_commands flushall config|set;
STREAM

my $s = olivine(main => '', stream => $stream);

my $all = $s->client;
my %r = map { $_ => client($port{$_}) } 1 .. 4;

is($all->cmd(qw/mset user:1 a session:x b xyz c key d/), '+OK', 'keys');
is($all->cmd('flushall'), "$NO 'flushall' command",
    'a rule of the stream block');
is($all->cmd(qw/config set maxclients 7/), "$NO 'config|set' command",
    'of a subcommand');
is($all->cmd(qw/config get maxclients/), '*2 $10 maxclients $5 10000',
    'not of others');

# commands

my $r = $r{1};

is($r->cmd(qw/get key/), '$1 d', 'allowed commands');
is($r->cmd('dbsize'), ':4', 'as well');
is($r->cmd('ping'), '+PONG', 'by name, too');
is($r->cmd(qw/set key e/), "$NO 'set' command", 'no others');
is($r->cmd(qw/strlen key/), "$NO 'strlen' command",
    'one that is allowed and denied is denied');
is($r->cmd(qw/config set maxclients 7/), "$NO 'config|set' command",
    'nor subcommands');
is($r->cmd(qw/config nothing/), "-ERR unknown subcommand 'nothing'. "
    . 'Try CONFIG HELP.', 'what does not exist is unknown');
is($r->cmd(qw/get/), "-ERR wrong number of arguments for 'get' command",
    'what is wrong is wrong');
is($r->cmd('echo', 'x'), "$NO 'echo' command", 'echo needs to be allowed');
like($r->cmd(qw/hello 3/), qr/^%/, 'hello does not');
like($r->cmd(qw/auth x/), qr/^-ERR AUTH/, 'nor auth');
is($r->cmd('reset'), '+RESET', 'nor reset');
is($r->cmd(qw/set key e/), "$NO 'set' command", 'after which rules hold');

my @all = $r->pipe([qw/get key/], [qw/set key e/], [qw/exists key/],
    [qw/nothing/], [qw/mset key f/], [qw/get key/]);
is_deeply([ @all[0 .. 2, 4, 5] ], [ '$1 d', "$NO 'set' command", ':1',
    "$NO 'mset' command", '$1 d' ], 'in a pipeline');

@all = $r->pipe(['multi'], [qw/get key/], [qw/exec/], ['multi'],
    [qw/get key/], [qw/set key e/], [qw/get key/], ['exec'], ['discard']);
is_deeply(\@all, [ '+OK', '+QUEUED', '*1 $1 d', '+OK', '+QUEUED',
    "$NO 'set' command", '+QUEUED', '-EXECABORT Transaction discarded because '
    . 'of previous errors.', "$NO 'discard' command" ], 'in a transaction');

# a refused argument takes no room of the zone, which lasts for others

my $value = 'v' x 20_000_000;
$r->write(substr $r->frame('set', 'key', $value), 0, 10_000_000);
$r{3}->write(substr $r->frame('set', 'key', $value), 0, 10_000_000);
ok($s->until(sub { used() > 16_000_000 }), 'one that is allowed takes some');
cmp_ok(used(), '<', 24_000_000, 'one that is not does not')
    or diag(used());
$r->write(substr $r->frame('set', 'key', $value), 10_000_000);
is($r->reply, "$NO 'set' command", 'it is refused when it is whole');
is($r->cmd(qw/get key/), '$1 d', 'and what follows is served');
$r{3}->close;
$r{3} = client($port{3});

# keys

$r = $r{2};

is($r->cmd(qw/get user:1/), '$1 a', 'a key that matches');
is($r->cmd(qw/get user:1a/), $KEY, 'one that does not');
is($r->cmd(qw/get session:x/), '$1 b', 'one with a prefix');
is($r->cmd(qw/get session/), $KEY, 'one that is shorter');
is($r->cmd(qw/get xyz/), '$1 c', 'in any case');
is($r->cmd(qw/get one/), '$-1', 'one named whole');
is($r->cmd(qw/get one1/), $KEY, 'not more');
is($r->cmd('get', ''), $KEY, 'an empty one');
is($r->cmd('get', "user:1\0"), $KEY, 'a zero byte ends nothing');
is($r->cmd(qw/mget user:1 xyz/), '*2 $1 a $1 c', 'several');
is($r->cmd(qw/mget user:1 key xyz/), $KEY, 'all of them have to match');
is($r->cmd(qw/mset user:2 a key x/), $KEY, 'keys that are written');
is($r->cmd(qw/exists user:2/), ':0', 'nothing is written');
is($r->cmd(qw/msetex 2 user:2 a key x/), $KEY, 'behind a number');
is($r->cmd(qw/msetex 1 user:3 a/), ':1', 'as many as it says');
is($r->cmd(qw/msetex 2 user:3 a/), '-ERR syntax error',
    'what is wrong is wrong');
is($r->cmd(qw/rename user:3 key/), $KEY, 'a key that is made');
is($r->cmd(qw/copy key user:3/), $KEY, 'or read');
is($r->cmd(qw/rename user:3 user:4/), '+OK', 'both that match');
is($r->cmd(qw/object encoding key/), $KEY, 'of a subcommand');
is($r->cmd(qw/dump key/), $KEY, 'a whole value');
is($r->cmd(qw/del user:4/), ':1', 'one is removed');
is($r->cmd('set', "session:" . 'x' x 100000, 'v'), '+OK', 'a long one');
is($r->cmd('set', 'user:' . '1' x 40000 . 'a', 'v'), $KEY,
    'another, that does not match');
is($r->cmd('dbsize'), ':5', 'commands without keys are served');
is($r->cmd(qw/del key/), $KEY, 'and DEL is not');
is($all->cmd(qw/get key/), '$1 d', 'the key is there');

@all = $r->pipe([qw/watch key/], [qw/watch user:1/], ['multi'],
    [qw/get user:1/], [qw/get key/], ['exec']);
is_deeply(\@all, [ $KEY, '+OK', '+OK', '+QUEUED', $KEY,
    '-EXECABORT Transaction discarded because of previous errors.' ],
    'in a transaction');

# inheritance

is($r->cmd('flushall'), "$NO 'flushall' command",
    'a server without rules of a kind has those of the stream block');
is($r{3}->cmd(qw/config set maxclients 5000/), '+OK', 'one with "off" not');
is($r{4}->cmd('dbsize'), "$NO 'dbsize' command",
    'one with others has those');
is($r{4}->cmd(qw/config set maxclients 5001/), '+OK', 'in their place');
is($r{4}->cmd(qw/set prefix 1/), '+OK', 'with keys, too');
is($r{4}->cmd(qw/get key/), $KEY, 'their own');

# a reload

$stream =~ s/pre\*/key/;
$s->rewrite(stream => $stream);
ok($s->reload, 'a reload with other rules');

my $new = client($port{4});
is($new->cmd(qw/get key/), '$1 d', 'a new client has them');
is($new->cmd(qw/get prefix/), $KEY, 'whole');
is($r{4}->cmd(qw/get prefix/), '$1 1', 'one of before keeps those of before');
is($r{4}->cmd(qw/get key/), $KEY, 'whole');

done_testing();


sub used {
    return $all->cmd(qw/info memory/) =~ /used_memory:(\d+)/ ? $1 : 0;
}

sub stream { "olivine_zone main 8m;\n server { listen 127.0.0.1:1; "
                 . "olivine main; $_[0] }" }

sub taken {
    my ($lines, $name) = @_;
    is($t->(stream($lines), ''), '', "taken: $name");
    is($t->("$lines olivine_zone main 8m;"), '', "in the stream block: $name");
}

sub refused {
    my ($lines, $what, $name) = @_;
    like($t->(stream($lines), ''), $what, "refused: $name");
}
