#!/usr/bin/perl

# COMMAND

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

is($r->cmd(qw/command getkeys get a/), '*1 $1 a', 'a key');
is($r->cmd(qw/command getkeys mset a 1 b 2/), '*2 $1 a $1 b', 'every second');
is($r->cmd(qw/command getkeys del a b c/), '*3 $1 a $1 b $1 c', 'all');
is($r->cmd(qw/command getkeys set a b ex 10/), '*1 $1 a', 'the first');
is($r->cmd(qw/command getkeys mset a 1 b/), '*2 $1 a $1 b',
    'whatever mset would say');
is($r->cmd(qw/command getkeys get/),
    '-ERR Invalid number of arguments specified for command',
    'arity');
is($r->cmd(qw/command getkeys get a b/),
    '-ERR Invalid number of arguments specified for command',
    'counts');
is($r->cmd(qw/command getkeys nope a/), '-ERR Invalid command specified',
    'an unknown command');
is($r->cmd(qw/command getkeys ping/), '-ERR The command has no key arguments',
    'one without keys');
is($r->cmd(qw/command getkeys client/),
    '-ERR The command has no key arguments',
    'nor has this');
is($r->cmd(qw/command getkeys client id/),
    '-ERR The command has no key arguments',
    'nor its subcommands');
is($r->cmd(qw/command getkeys client nope/), '-ERR Invalid command specified',
    'an unknown one');
is($r->cmd(qw/command getkeys/),
    '-ERR wrong number of arguments for \'command|getkeys\' command',
    'too few');
is($r->cmd(qw/command getkeysandflags get a/), '*1 *2 $1 a *2 +RO +access',
    'what becomes of a key');
is($r->cmd(qw/command getkeysandflags set a b/), '*1 *2 $1 a *2 +OW +update',
    'one that is written');
is($r->cmd(qw/command getkeysandflags set a b ex 10 GET/),
    '*1 *2 $1 a *3 +RW +access +update', 'and read');
is($r->cmd(qw/command getkeysandflags mset a 1 b 2/),
    '*2 *2 $1 a *2 +OW +update *2 $1 b *2 +OW +update', 'two of them');
is($r->cmd(qw/command getkeysandflags set a/),
    '-ERR Invalid number of arguments specified for command', 'arity');
is($r->cmd(qw/command getkeysandflags ping/),
    '-ERR The command has no key arguments', 'none');
is($r->cmd(qw/command docs nope/), '*0', 'nothing is written of this');
is($r->cmd(qw/command count x/),
    '-ERR wrong number of arguments for \'command|count\' command',
    'too many');
is($r->cmd(qw/command info nope/), '*1 $-1', 'an unknown command');
is($r->cmd(qw/command info get/),
    '*1 *10 $3 get :2 *2 +readonly +fast :1 :1 :1 *3 +@read +@string '
    . '+@fast *0 *1 *6 $5 flags *2 +RO +access $12 begin_search *4 $4 '
    . 'type $5 index $4 spec *2 $5 index :1 $9 find_keys *4 $4 type $5 '
    . 'range $4 spec *6 $7 lastkey :0 $7 keystep :1 $5 limit :0 *0',
    'one with a key');
is($r->cmd(qw/command info SET/),
    '*1 *10 $3 set :-3 *2 +write +denyoom :1 :1 :1 *3 +@write +@string '
    . '+@slow *0 *1 *8 $5 notes $48 RW and ACCESS due to the optional '
    . '`GET` argument $5 flags *4 +RW +access +update +variable_flags '
    . '$12 begin_search *4 $4 type $5 index $4 spec *2 $5 index :1 $9 '
    . 'find_keys *4 $4 type $5 range $4 spec *6 $7 lastkey :0 $7 keystep '
    . ':1 $5 limit :0 *0',
    'with a note');
is($r->cmd(qw/command info mset/),
    '*1 *10 $4 mset :-3 *2 +write +denyoom :1 :-1 :2 *3 +@write '
    . '+@string +@slow *2 $26 request_policy:multi_shard $29 '
    . 'response_policy:all_succeeded *1 *6 $5 flags *2 +OW +update $12 '
    . 'begin_search *4 $4 type $5 index $4 spec *2 $5 index :1 $9 '
    . 'find_keys *4 $4 type $5 range $4 spec *6 $7 lastkey :-1 $7 '
    . 'keystep :2 $5 limit :0 *0',
    'with every second');
is($r->cmd(qw/command info scan/),
    '*1 *10 $4 scan :-2 *1 +readonly :0 :0 :0 *3 +@keyspace +@read '
    . '+@slow *3 $23 nondeterministic_output $22 request_policy:special '
    . '$23 response_policy:special *0 *0',
    'with none, and tips');
is($r->cmd(qw/command info config|get/),
    '*1 *10 $10 config|get :-3 *4 +admin +noscript +loading +stale :0 '
    . ':0 :0 *3 +@admin +@slow +@dangerous *0 *0 *0',
    'a subcommand');
is($r->cmd(qw/command info CLIENT|Id nope client|nope client|id|x/),
    '*4 *10 $9 client|id :2 *3 +noscript +loading +stale :0 :0 :0 *2 '
    . '+@slow +@connection *0 *0 *0 $-1 $-1 $-1',
    'several');
is($r->cmd(qw/command list filterby pattern xincr*/), '*0', 'nothing');
is($r->cmd(qw/command list filterby pattern getd*/), '*1 $6 getdel', 'one');
is($r->cmd(qw/command list filterby pattern CONFIG|G*/), '*1 $10 config|get',
    'a subcommand');
is($r->cmd(qw/command list filterby module json/), '*0',
    'there are no modules');
is($r->cmd(qw/command list filterby aclcat nope/), '*0', 'nor this category');
is($r->cmd(qw/command list filterby aclcat @read/), '*0',
    'it is named without');
is($r->cmd(qw/command list filterby/), '-ERR syntax error', 'by what');
is($r->cmd(qw/command list filterby pattern/), '-ERR syntax error', 'which');
is($r->cmd(qw/command list filterby nope x/), '-ERR syntax error',
    'what there is not');
is($r->cmd(qw/command list filterby pattern a filterby pattern b/),
    '-ERR syntax error',
    'once');
is($r->cmd(qw/command list nope/), '-ERR syntax error', 'a word that is none');
is($r->cmd(qw/command nope/),
    '-ERR unknown subcommand \'nope\'. Try COMMAND HELP.',
    'a subcommand there is none of');

my $all = $r->value('command');
my ($count) = $r->cmd(qw/command count/) =~ /^:(\d+)$/;

is(@$all, $count, 'all are counted');
is_deeply($r->value(qw/command info/), $all, 'info without names is all');
is((grep { @$_ != 10 } @$all), 0, 'ten elements each');

my %names = map { $_ => 1 } @{ $r->value(qw/command list/) };
is((grep { !$names{$_->[0]} } @$all), 0, 'all are listed');
ok($names{'client|id'}, 'and so are subcommands');

my %reads = map { $_ => 1 }
    @{ $r->value(qw/command list filterby aclcat READ/) };
ok($reads{get} && !$reads{set}, 'readers');

my ($client) = grep { $_->[0] eq 'client' } @$all;
ok((grep { $_->[0] eq 'client|setname' } @{ $client->[9] }),
    'a command knows its subcommands');

# whoever is listed is known, and the other way round

for my $command (sort { $a->[0] cmp $b->[0] } @$all) {
    next if abs $command->[1] == 1;
    is($r->cmd($command->[0]), "-ERR wrong number of arguments for "
        . "'$command->[0]' command", "$command->[0] counts its arguments");
}

done_testing();
