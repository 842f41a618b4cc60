#!/usr/bin/perl

# COMMAND INFO and COMMAND DOCS beside what Redis says, for the commands that
# both have: redis-8.0.tsv, taken from a Redis 8.0.6.

use strict;
use warnings;

use File::Basename qw(dirname);

use Olivine;

my $s = olivine();
my $r = $s->client;

my %redis;

open my $in, '<', dirname($0) . '/redis-8.0.tsv' or die "redis-8.0.tsv: $!\n";

while (my $line = <$in>) {
    chomp $line;
    next if $line =~ /^#/;
    my ($name, @facts) = split /\t/, $line;
    $redis{$name} = \@facts;
}

close $in;

cmp_ok(scalar keys %redis, '>', 300, 'facts were read');


sub words { return join(',', @{ $_[0] }) || '-' }

sub flat {
    my ($value) = @_;
    return '(' . join(' ', map { flat($_) } @$value) . ')' if ref $value;
    return $value =~ tr/ /_/r;
}

sub specs { return join(' ', map { flat($_) } @{ $_[0] }) || '-' }


# The notation of the arguments, again.  What came after Redis 8.0 is ours.

sub notation {
    my ($args, $between) = @_;
    my @said;

    for my $list (@$args) {
        my %arg = @$list;
        my %flags = map { $_ => 1 } @{ $arg{flags} || [] };
        my ($type, $name) = @arg{qw(type name)};
        my $said = defined $arg{token} ? $arg{token} : '';

        next if $arg{since} && $arg{since} =~ /^(?:8\.[1-9]|9)/;

        if ($type eq 'pure-token') {
            $said .= "=$name:token" if $name ne lc $arg{token};

        } elsif ($type =~ /^(oneof|block)$/) {
            $said .= '=' if $said ne '';
            $said .= "$name(" . notation($arg{arguments},
                                         $1 eq 'oneof' ? ' | ' : ' ') . ')';

        } else {
            $said .= '=' if $said ne '';
            $said .= $name;
            $said .= ":$type"
                if $type ne 'string' && !($type eq 'key' && $name eq 'key');
            $said .= "<$arg{display_text}>" if $arg{display_text} ne $name;
        }

        $said .= "#$arg{key_spec_index}" if $arg{key_spec_index};
        $said .= "\@$arg{since}" if $arg{since};
        $said .= "!$arg{deprecated_since}" if $arg{deprecated_since};
        $said .= $flags{multiple_token} ? '....' : '...' if $flags{multiple};
        $said = "[$said]" if $flags{optional};

        push @said, $said;
    }

    return join($between || ' ', @said);
}


my ($both, @ours);

sub compare {
    my ($info, %docs) = @_;
    my ($name, $arity, $flags, $first, $last, $step, $categories, $tips,
        $specs) = @$info;

    my $facts = $redis{$name};

    if (!$facts) {
        push @ours, $name;
        return;
    }

    my @said = ($arity, words($flags), "$first:$last:$step",
        words($categories), words($tips), specs($specs),
        join('/', @docs{qw(since group)}, $docs{deprecated_since} || '-'),
        notation($docs{arguments}) || '-');

    is_deeply(\@said, $facts, "$name is as Redis has it");
    ok($docs{summary} =~ /^[A-Z].*\.$/, "$name has a summary");
    $both++;
}


my %docs = @{ $r->value(qw(command docs)) };

for my $info (@{ $r->value('command') }) {
    my %of = @{ $docs{$info->[0]} };
    my %subcommands = @{ $of{subcommands} || [] };

    compare($info, %of);
    compare($_, @{ $subcommands{$_->[0]} }) for @{ $info->[9] };
}

cmp_ok($both, '>', 50, 'commands that both have');
note("ours alone: @ours") if @ours;

done_testing();
