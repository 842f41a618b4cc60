#!/usr/bin/perl

# olivine_pprof, olivine_metrics, olivine_status as directives; what they
# serve is in t/http
# workers: 1

use strict;
use warnings;

use Olivine;

my $dir = "$Olivine::top/build/t/olivine_pprof-"
    . ($ENV{OLIVINE_HOST} || 'standalone');
my $try = Olivine::test($dir);

my $zone = 'olivine_zone main 8m;';
my $root = $> == 0 ? "user root;\n" : '';
my $server = 'server { listen 127.0.0.1:1; olivine main; }';
my $temp = 'access_log off; ' . join ' ', map { "${_}_temp_path $dir/$_;" }
    qw(client_body proxy), ($ENV{OLIVINE_HOST} || '') eq 'module'
        ? qw(fastcgi uwsgi scgi) : ();

# an http block in front of the stream block, and behind it

sub before {
    my ($location) = @_;
    return $try->($zone, $server, "$root http { $temp server { listen "
        . "127.0.0.1:2; location / { $location } } }");
}

sub behind {
    my ($location, $stream) = @_;
    return $try->($stream // $zone, "$server\n} http { $temp server { listen "
        . "127.0.0.1:2; location / { $location } }");
}

for my $name (qw(olivine_pprof olivine_metrics olivine_status)) {
    is(before("$name main;"), '', "$name before the zone");
    is(behind("$name main;"), '', "$name behind it");

    like(before("$name mian;"),
        qr/unknown olivine_zone "mian", did you mean "main"\? in .*:1\n/,
        'a slip');
    like(behind("$name other;"),
        qr/unknown olivine_zone "other", it is to be declared by "olivine_zone other SIZE;" in the stream block in .*:4\n/,
        'no zone');
    like(behind("$name;"), qr/invalid number of arguments in "$name"/,
        'no name');
    like(behind("$name main; $name main;"),
        qr/"$name" directive is duplicate/, 'twice');
    like($try->("$zone $name main;"),
        qr/"$name" directive is not allowed here/, 'in the stream block');
}

like(behind('olivine_status main; olivine_pprof main;'),
    qr/"olivine_pprof" directive is not alone: a location has one/, 'two');
is(behind('olivine_status main; if ($arg_x) { set $y 1; }'), '',
    'a condition in the location');

# a reload that names no zone is refused, and the old configuration stays

my $port = port(0);
my $http = "server { listen 127.0.0.1:$port; location / "
    . '{ olivine_metrics main; } }';
my $s = olivine(main => '', http => $http, expect => [
    qr/\[emerg\].*unknown olivine_zone "gone"/ ]);
my @before = $s->workers;

$s->rewrite(http => $http =~ s/metrics main/metrics gone/r);
kill HUP => $s->master;
ok($s->until(sub { $s->log =~ /unknown olivine_zone "gone"/ }),
    'a reload without the zone is refused');
is_deeply([ $s->workers ], \@before, 'the workers stay');
is($s->client->cmd('ping'), '+PONG', 'and serve');

# without a stream block there is no zone at all; the module only for itself

if ($s->{host} eq 'module') {
    my $nginx = $s->nginx;
    my $load = join '', map { "load_module $_;" }
        Olivine::load_modules('module');

    Olivine::write_file("$dir/nginx.conf", "$load daemon off; pid $dir/pid;"
        . "error_log stderr; events { } http { $temp server { listen "
        . "127.0.0.1:2; location / { olivine_pprof main; } } }\n");
    like(scalar `$nginx -t -p $dir/ -e stderr -c $dir/nginx.conf 2>&1`,
        qr/unknown olivine_zone "main", it is to be declared/,
        'no stream block');

    # an nginx without http has to be able to load it

    my @need = grep { /^\s+U\s+ngx_http_/ }
        `nm -D --undefined-only $Olivine::top/build/ngx_olivine_module.so`;
    is("@need", '', 'nothing of http is needed to load the module');
}

done_testing();
