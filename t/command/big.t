#!/usr/bin/perl

# Big arguments, however they are cut

use strict;
use warnings;

use Time::HiRes qw(sleep);

use Olivine;

my $s = olivine();
my $small = Olivine::Client::frame(qw(set small 1));

my ($good, $all) = (0, 0);

for my $size (32767, 32768, 65535, 65536, 65537, 86124, 300000) {
    my $value = join '', map { chr(97 + $_ % 26) } 1 .. $size;
    my $frame = $small . Olivine::Client::frame('set', 'big', $value) . $small;

    for my $cut (10, 200, $size / 2, $size - 1, length($small) + $size + 30) {
        my $r = $s->client(timeout => 2);

        # what stays in the socket is read in a later turn of the loop
        $r->write(substr $frame, 0, $cut);
        sleep 0.002;
        $r->write(substr $frame, $cut);

        my @replies = map { $r->reply // 'none' } 1 .. 3;
        $all++;

        if ("@replies" eq '+OK +OK +OK'
            && ($r->value('get', 'big') // '') eq $value)
        {
            $good++;

        } else {
            diag("$size bytes cut at $cut: @replies");
        }
    }
}

is($good, $all, 'all were stored whole');

done_testing();
