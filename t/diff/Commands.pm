package Commands;

# Random commands: a generator for each name, which returns the arguments.
# Only names that both servers know are used, so one that is ahead of either
# of them waits here.  All that the generators do with time is far in the past
# or the future: replies do not depend on when a command came.

use strict;
use warnings;

my (@names, @keys, @numbers, @texts, @floats);
my @payloads = '';


# --- what arguments are made of


sub pick { $_[rand @_] }
sub one_in { rand($_[0]) < 1 }
sub some { map { $_[0]->() } 1 .. 1 + int rand($_[1] || 3) }

sub key { one_in(150) ? pick('', "a\0b", "\r\n", 'k' x 300) : pick(@keys) }

sub number {
    return one_in(4) ? pick(@numbers) : int(rand 41) - 20;
}

sub small { one_in(12) ? number() : int(rand 30) - 8 }
sub float { one_in(3) ? number() : pick(@floats) }

sub text {
    my $r = rand;

    return pick(@texts) if $r < 0.4;
    return number() if $r < 0.7;
    return float() if $r < 0.8;
    return join '', map { pick('a' .. 'e') } 1 .. rand 12 if $r < 0.97;
    return chr(97 + rand 26) x pick(43, 44, 45, 200, 1000, 5000, 16300, 40000,
                                    one_in(20) ? 200000 : 2000)
        if $r < 0.98;
    return join '', map { chr rand 256 } 1 .. rand 80;
}

# ours of clients have a limit
sub name { substr text(), 0, 200 }

sub bad { pick('', 'x', '1.5', ' 1', '1 ', '+1', '01', '-0', '0x1', 'nan',
               '99999999999999999999', '-9223372036854775809') }

# what DUMP says of some values, at times somewhat spoilt

sub payload {
    my $payload = one_in(5) ? text() : pick(@payloads);

    substr $payload, rand length $payload, 1, chr rand 256
        if length $payload && one_in(10);

    return $payload;
}

# seconds; milliseconds are a thousand times that

my $future = 9_000_000_000;

sub at {
    return bad() if one_in(25);
    return pick(0, -1, 1, 1000, '9223372036854775807', '9223372036854775',
                '9223372036854776', '-9223372036854775808') if one_in(6);
    return $future + int rand 5;
}

sub at_ms { my $at = at(); $at =~ /^9\d{9}$/ ? $at * 1000 + int rand 3 : $at }

# relative: replies about what is left are compared with some tolerance

sub never { one_in(3) ? bad() : pick(0, -1, -1000, '9223372036854775807',
                                     '9223372036854775',
                                     '-9223372036854775808') }
sub in_s { one_in(8) ? never() : 100_000 + int rand 100 }
sub in_ms { one_in(8) ? never() : 100_000_000 + int rand 100 }

# never so soon that only one of both servers has seen it

sub later { $_[0] =~ /^[1-9]\d{0,5}$/ ? "$_[0]000000" : $_[0] }

sub case { one_in(10) ? lc $_[0] : one_in(10) ? ucfirst lc $_[0] : $_[0] }

sub expiry {
    my $r = int rand 5;

    return (case('EX'), in_s()) if $r == 0;
    return (case('PX'), in_ms()) if $r == 1;
    return (case('EXAT'), at()) if $r == 2;
    return (case('PXAT'), at_ms()) if $r == 3;
    return ();
}

# options in any order, at times one that is none, or without its value

sub options {
    my @all = grep { @$_ } @_;

    @all = sort { rand() <=> 0.5 } @all if one_in(3);

    my @flat = map { @$_ } @all;

    pop @flat if @flat && one_in(40);
    push @flat, pick('', 'FOO', 'EX', 'NX', 'GET', 'PERSIST', 'KEEPTTL', later(1))
        if one_in(40);

    return @flat;
}

sub maybe { rand() < $_[0] ? [ $_[1]->() ] : [] }


# --- the generators


my %generators = (

    # strings

    set => sub {
        return (key(), text()) if one_in(3);
        return (key(), text(), options(
            maybe(0.3, sub { case pick(qw(NX XX)) }),
            maybe(0.3, sub { case 'GET' }),
            maybe(0.5, sub { one_in(4) ? case 'KEEPTTL' : expiry() })));
    },
    get => sub { key() },
    mget => sub { some(\&key, 6) },
    mset => sub { (some(sub { (key(), text()) }, 5), one_in(30) ? key() : ()) },
    msetnx => sub {
        (some(sub { (key(), text()) }, 3), one_in(30) ? key() : ());
    },
    setnx => sub { (key(), text()) },
    setex => sub { (key(), in_s(), text()) },
    psetex => sub { (key(), in_ms(), text()) },
    getset => sub { (key(), text()) },
    getdel => sub { key() },
    getex => sub {
        (key(), options([ one_in(3) ? case 'PERSIST' : expiry() ]));
    },
    append => sub { (key(), text()) },
    strlen => sub { key() },
    getrange => sub { (key(), small(), small()) },
    substr => sub { (key(), small(), small()) },
    setrange => sub {
        (key(), one_in(20) ? pick(536870911, 536870912, -1, bad()) . ''
                           : int rand(one_in(20) ? 20000 : 20),
         # at the very end a byte would take half a gigabyte
         one_in(20) ? '' : text());
    },
    incr => sub { key() },
    decr => sub { key() },
    incrby => sub { (key(), one_in(15) ? bad() : number()) },
    decrby => sub { (key(), one_in(15) ? bad() : number()) },
    incrbyfloat => sub { (key(), one_in(15) ? bad() : float()) },
    lcs => sub {
        (key(), key(), options(
            maybe(0.3, sub { case 'LEN' }), maybe(0.4, sub { case 'IDX' }),
            maybe(0.2, sub { case 'WITHMATCHLEN' }),
            maybe(0.2, sub { (case 'MINMATCHLEN', small()) })));
    },

    msetex => sub {
        my @pairs = map { (key(), text()) } 1 .. 1 + rand 4;

        return (@pairs / 2, @pairs, options(
            maybe(0.3, sub { case pick(qw(NX XX)) }),
            maybe(0.5, sub { one_in(4) ? case 'KEEPTTL' : expiry() })));
    },
    digest => sub { key() },
    delex => sub {
        (key(), one_in(3) ? ()
             : (case(pick(qw(IFEQ IFNE IFEQ IFNE IFDEQ IFDNE FOO))), text()));
    },
    delifeq => sub { (key(), text()) },
    increx => sub {
        my $float = one_in(3);
        my $number = $float ? \&float : \&number;

        return (key(), options(
            maybe($float || 0.5, sub {
                (case($float ? 'BYFLOAT' : 'BYINT'), $number->());
            }),
            maybe(0.2, sub { (case 'LBOUND', $number->()) }),
            maybe(0.2, sub { (case 'UBOUND', $number->()) }),
            maybe(0.3, sub { case 'SATURATE' }),
            maybe(0.3, sub { one_in(5) ? case 'PERSIST' : expiry() }),
            maybe(0.1, sub { case 'ENX' })));
    },

    # keys

    del => sub { some(\&key) },
    unlink => sub { some(\&key) },
    exists => sub { some(\&key, 5) },
    touch => sub { some(\&key, 5) },
    type => sub { key() },
    copy => sub {
        (key(), key(), options(
            maybe(0.2, sub { (case 'DB', pick(0 .. 3, 99, -1, 'x')) }),
            maybe(0.4, sub { case 'REPLACE' })));
    },
    rename => sub { (key(), key()) },
    renamenx => sub { (key(), key()) },
    move => sub { (key(), pick(0 .. 3, 99, -1, 'x')) },
    object => sub {
        (one_in(10) ? pick('FOO', 'HELP', 'FREQ') : 'ENCODING', key());
    },
    dbsize => sub { () },
    keys => sub { pick('*', 'k*', 'k[1-3]', 'k?', '[', '\\', 'k1', '', '*1*') },
    randomkey => sub { key() },
    scan => sub {
        (bad(), options(maybe(0.5, sub { ('COUNT', small()) }),
                        maybe(0.3, sub { ('MATCH', 'x') })));
    },
    dump => sub { key() },
    # a time that overflows is anything
    restore => sub { (key(), one_in(2) ? (at_ms(), payload(), 'ABSTTL')
        : (one_in(9) ? pick(-1, bad()) : pick(0, 100_000_000), payload()),
        options(maybe(0.5, sub { 'REPLACE' }),
        maybe(0.2, sub { ('IDLETIME', small()) }),
        maybe(0.2, sub { ('FREQ', small()) }))) },

    # expiry

    expire => sub { (key(), in_s(), when_relative()) },
    pexpire => sub { (key(), in_ms(), when_relative()) },
    expireat => sub { (key(), at(), when()) },
    pexpireat => sub { (key(), at_ms(), when()) },
    ttl => sub { key() },
    pttl => sub { key() },
    expiretime => sub { key() },
    pexpiretime => sub { key() },
    persist => sub { key() },

    # transactions

    multi => sub { () },
    exec => sub { () },
    discard => sub { () },
    watch => sub { some(\&key) },
    unwatch => sub { () },

    # connections, servers

    ping => sub { one_in(2) ? () : text() },
    echo => sub { text() },
    select => sub { pick(0, 0, 0, 1 .. 3, 99, -1, bad()) },
    # of two arguments a wrong pair gets no reply at all while others wait
    auth => sub { text() },
    swapdb => sub { (pick(0 .. 3, 99, -1, 'x'), pick(0 .. 3, 'y')) },
    flushdb => sub { pick([], [], ['ASYNC'], ['SYNC'], ['FOO']) },
    flushall => sub { pick([], ['ASYNC'], ['SYNC'], ['FOO']) },
    client => sub {
        pick([ 'GETNAME' ], [ 'SETNAME', name() ], [ 'FOO' ], [],
             [ 'NO-TOUCH', pick(qw(on off x)) ],
             [ 'NO-EVICT', pick(qw(on off x)) ],
             [ 'SETINFO', pick('lib-name', 'LIB-VER', 'x'), name() ],
             [ 'SETNAME' ], [ 'TRACKINGINFO' ]);
    },
    config => sub {
        pick([ 'GET', 'proto-max-bulk-len' ], [ 'GET', 'nothing-like-it' ],
             [ 'GET' ], [ 'SET', 'x' ], [ 'SET', 'nope', '1' ], [ 'FOO' ], [],
             [ 'SET', 'maxmemory', 'x' ], [ 'SET', 'timeout', '-1' ],
             [ 'SET', 'timeout', '0', 'timeout', '0' ]);
    },
    command => sub {
        pick([ 'GETKEYS', one_in(9) ? 'nope' : pick(@names),
               some(\&key, 4) ], [ 'GETKEYS' ], [ 'FOO' ],
             [ 'GETKEYS', 'mset', some(\&key, 6) ], [ 'INFO', 'nope' ],
             [ 'INFO', grep { !/^(?:client|command|config|object)$/ }
                       pick(@names), pick(@names) ],
             [ 'COUNT', 'x' ], [ 'LIST', 'x' ]);
    },
);

sub when { one_in(4) ? case pick(qw(NX XX GT LT FOO)) : () }

# which of two that both count from now is later is a matter of a moment
sub when_relative { one_in(4) ? case pick(qw(NX XX FOO)) : () }

# how often, of a thousand or so; 10 where nothing is said

my %weights = (
    set => 60, get => 40, mget => 15, setrange => 25, append => 25, incr => 20,
    del => 25, ttl => 15, pttl => 15, pexpiretime => 20, lcs => 15,
    incrbyfloat => 25, getex => 20, flushall => 0.2, flushdb => 0.4,
    swapdb => 0.5, select => 2, echo => 2, ping => 2, auth => 1, client => 3,
    config => 2, command => 3, randomkey => 0.3, scan => 2, keys => 2,
    multi => 6, exec => 10, discard => 1.5, watch => 5, unwatch => 2,
    copy => 15, rename => 12, object => 20,
);

my (@wheel, $sum);


# Which of the commands there are; known: those of both servers.

sub use_only {
    my (@known) = @_;

    my %known = map { $_ => 1 } @known;
    @names = grep { $known{$_} } sort keys %generators;

    $sum = 0;
    @wheel = map { $sum += $weights{$_} // 10 } @names;

    return @names;
}


# What RESTORE is given.

sub payloads { @payloads = @_ }

# Values that are dumped in ways of their own.

sub dumped {
    return ('', 'x', 0 .. 3, -1, 127, 128, -32769, 2147483648, 'Hello World',
            'ab' x 300, join('', map { chr $_ % 256 } 1 .. 500), 'y' x 20000);
}


# The next one, as a list.

sub random_command {
    my $at = rand $sum;
    my ($low, $high) = (0, $#wheel);

    while ($low < $high) {
        my $middle = ($low + $high) >> 1;

        if ($wheel[$middle] > $at) {
            $high = $middle;
        } else {
            $low = $middle + 1;
        }
    }

    my $name = $names[$low];

    my @args = map { ref ? @$_ : $_ } $generators{$name}->();

    # too many, too few, none at all, or no such command

    if (one_in(60)) {
        pop @args;
    } elsif (one_in(80) && $name !~ /^(?:auth|mset|client|config)$/) {
        # what is named in an error is not to be longer than ours can say
        push @args, substr text(), 0, 200;
    } elsif (one_in(200)) {
        $name .= pick('x', '', ' ');
    }

    # half a gigabyte is too much to ask for a thousand times

    @args = () if $name =~ /^setrange/ && @args == 3
        && $args[1] =~ /^\d{7,}$/ && $args[1] < 536870912 && length $args[2];

    return (case(uc $name), @args);
}


sub start {
    my ($seed) = @_;

    srand $seed;

    @keys = map { "k$_" } 1 .. 16;

    @numbers = qw(0 1 -1 10 100 9223372036854775807 -9223372036854775808
                  9223372036854775806 -9223372036854775807 4611686018427387904
                  2147483647 -2147483648 4294967296 12345678901234567890);

    @floats = qw(0.1 -0.1 3.0e3 1.5 -2.25 0.00000000000000001 1e17 1e18 -1e-18
                 123456789.123456789 3.14159265358979323846 17179869184.5
                 1e300 -1e300 0x1p3 inf -inf 5e-324 1e-400 .5 5. 1e4000);

    @texts = ('', 'Hello', 'Hello World', 'abc', ' ', "a\r\nb", "\0", '10',
              'ohmytext', 'mynewtext', '1.5', '+5', '007', 'OK', '*', '$-1');
}


1;
