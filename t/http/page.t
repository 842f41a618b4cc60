#!/usr/bin/perl

# The status page in a browser: figures that move, the flame graph, and what
# is said when something is wrong.
# hosts: standalone
# workers: 2

use strict;
use warnings;

use JSON::PP;
use Olivine;
use Olivine::Browser;
use Olivine::Http;
use POSIX ();

if (!Olivine::Browser::program()) {
    plan(skip_all => 'no chromium-headless-shell or chromium');
}

my $port = port(0);
my $s = olivine(args => [ '--http', "127.0.0.1:$port" ],
    params => { 'slowlog-log-slower-than' => 1000,
                'enable-debug-command' => 'yes' });
my $h = Olivine::Http->new(port => $port);

# headers, before any script runs

my $page = $h->get('/');
my $policy = $page->{headers}{'content-security-policy'} || '';
my ($nonce) = $policy =~ /script-src 'nonce-([0-9a-f]{32})'/;

ok($nonce, 'a policy with a nonce');
like($policy, qr/default-src 'none'/, 'that allows nothing else');
is(() = $page->{content} =~ /nonce="\Q$nonce\E"/g, 2, 'style and script have it');
unlike($page->{content}, qr/\@\w+\.\w+\@|NONCE/, 'all parts are joined');
unlike($page->{content}, qr/(?:src|href)="(?:https?:)?\/\//, 'nothing from elsewhere');
isnt(($h->get('/')->{headers}{'content-security-policy'} =~ /nonce-(\w+)/)[0],
    $nonce, 'another one each time');

# the figures behind it

my $answer = $h->get('/?json=1');
is($answer->{headers}{'content-type'}, 'application/json', 'JSON');
my $json = decode_json($answer->{content});
is(scalar @{ $json->{workers} }, 2, 'two workers');
is(scalar @{ $json->{shards} }, 64, 'all shards');
is($h->get('/?json=2')->{status}, 400, 'no other number');

# a browser

my $b = Olivine::Browser->new;

$b->size(1280, 900);
ok($b->open("http://127.0.0.1:$port/"), 'the page loads');
ok($b->until('document.querySelector("#live").textContent === "live"', 20),
    'figures have come');
is($b->text('#t-keys'), '0', 'no keys yet');
like($b->text('#about'), qr/2 workers/, 'about the server');

# names that want to be markup or a script

my $r = $s->client;
my $evil = '<img src=x onerror=document.title="bad"><script>document.title='
    . '"bad"</script>';

$r->cmd('set', $evil, "\x00\xff\xfe\"\\");
$r->cmd('client', 'setname', '<b>bold</b>');
$r->cmd('debug', 'sleep', '0.002');
$r->cmd('eval', $evil);
$r->cmd('config', 'set', 'slowlog-log-slower-than', '0');
$r->cmd('get', "$evil\x00\xff\"");
$r->cmd('config', 'set', 'slowlog-log-slower-than', '100000');
$r->cmd('set', "k$_", 'x' x 100, 'ex', 1000) for 1 .. 300;

ok($b->until('document.querySelector("#t-keys").textContent === "301"', 10),
    'keys that are set appear');
ok($b->until('document.querySelector("#slow").textContent'
           . '.indexOf("<script>") >= 0', 10), 'slow commands appear as text');
like($b->text('#slow'), qr/\\xff"/, 'with bytes that are no text');
is($b->eval('document.querySelectorAll("#slow img, #slow script, #slow b")'
          . '.length'), 0, 'which is never markup');
isnt($b->eval('document.title'), 'bad', 'and never runs');
like($b->text('#keyspace'), qr/db0301300/, 'the keyspace');

# under load

my $load = fork // die "fork: $!\n";

if (!$load) {
    my $end = time + 60;
    my $c = $s->client;
    my @many = map { [ 'set', "k$_", 'abcde' ] } 1 .. 200;

    $c->pipe(@many) while time < $end;
    POSIX::_exit(0);
}

ok($b->until('/[1-9]/.test(document.querySelector("#t-ops").textContent)', 10),
    'commands are counted');
ok($b->until('(function () { var row = [].find.call(document.querySelectorAll('
    . '"#commands tbody tr"), function (tr) { return tr.cells[0].textContent '
    . '=== "set"; }); return row && /[1-9]/.test(row.cells[1].textContent); })()',
    10), 'by name, too');

my $was = $b->text('#t-ops-more');
ok($b->until('document.querySelector("#t-ops-more").textContent !== '
    . encode_json([$was]) . '[0]', 10), 'and they change');

ok($b->eval('(function () { var c = document.querySelector("#c-ops canvas"),'
    . ' d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data,'
    . ' seen = {}, i; for (i = 0; i < d.length; i += 4) { if (d[i + 3] === 255)'
    . ' { seen[d[i] + "," + d[i + 1] + "," + d[i + 2]] = 1; } }'
    . ' return Object.keys(seen).length; })()') >= 3, 'a chart is drawn');
like($b->eval('document.querySelector("#c-lat canvas").getAttribute('
    . '"aria-label")'), qr/^p50 [\d.]+ .s, p99 /, 'and has a name');
is($b->eval('document.querySelectorAll("#s-map i").length'), 64,
    'the map of shards');

# pause

$b->click('#pause');
is($b->text('#live'), 'paused', 'it pauses');
$was = $b->text('#t-ops-more');
sleep 2;
is($b->text('#t-ops-more'), $was, 'and stands still');
$b->click('#pause');
ok($b->until('document.querySelector("#live").textContent === "live"', 10),
    'it goes on');

# the flame graph

$b->eval('document.querySelector("#p-seconds").value = "1"; 1');
$b->click('#p-take');
ok($b->eval('document.querySelector("#p-take").disabled'), 'one at a time');
ok($b->until('document.querySelectorAll("#p-graph .frame").length > 10', 40),
    'a CPU profile becomes a graph') or diag($b->text('#p-said'));

my $names = $b->eval('[].map.call(document.querySelectorAll('
    . '"#p-graph .frame"), function (e) { return e.title.split("\n")[0]; })'
    . '.join(" ")');

like($names, qr/ngx_olivine_\w+/, 'with our functions');
like($names, qr/ngx_worker_process_cycle|ngx_epoll_process_events/,
    "and nginx's");

my $width = 'document.querySelector("#p-graph .frame:not(.up)").title';
my $inner = '[].find.call(document.querySelectorAll("#p-graph .frame"), '
    . 'function (e) { return /^ngx_epoll_process_events|^ngx_process_events_and/'
    . '.test(e.title); })';

like($b->eval($width), qr/^all\n/, 'the root is all');
$b->click($inner);
like($b->eval($width), qr/^ngx_\w+\n/, 'a click zooms');
is($b->eval('document.querySelectorAll("#p-graph .frame.up").length > 0'), 1,
    'callers stay above');
like($b->text('#p-detail'), qr/^ngx_\w+: .*%/, 'details');
$b->click('#p-reset');
like($b->eval($width), qr/^all\n/, 'the button resets');

$b->eval('(function () { var e = document.querySelector("#p-search"); e.value ='
    . ' "NGX_OLIVINE"; e.dispatchEvent(new Event("input")); })()');
ok($b->eval('document.querySelectorAll("#p-graph .frame.match").length'),
    'search finds functions');
like($b->text('#p-detail'), qr/^found in [\d.]+% of all$/, 'and says how much');

# two at once

my $other = $h->begin('/debug/pprof/profile?seconds=5');
select undef, undef, undef, 0.5;
$b->click('#p-take');
ok($b->until('/^Another profile is being taken/.test(document.querySelector('
    . '"#p-said").textContent)', 10), 'a second profile is refused in words');
close $other;

kill KILL => $load;
waitpid $load, 0;

# a phone, and the dark

$b->size(390, 844, mobile => 1, dark => 1);
ok($b->until('document.documentElement.scrollWidth <= 390', 5),
    'it fits a phone');
isnt($b->eval('getComputedStyle(document.body).backgroundColor'),
    'rgb(245, 246, 240)', 'the dark has colours of its own');

my @said = grep { !/409/ } $b->said;
is(join("\n", @said), '', 'the browser complains of nothing');
is(join(' ', grep { !m{^(?:http://127\.0\.0\.1:$port/|data:|about:)} }
        $b->asked), '', 'nothing is asked of other servers');

# the server goes away, and comes back

$s->stop;
ok($b->until('document.querySelector("#live").textContent === "away"', 10),
    'it says that the server is away');
ok(!$b->eval('document.querySelector("#alarm").hidden'), 'in words, too');
$b->said;

$s->start;
ok($b->until('document.querySelector("#live").textContent === "live"', 20),
    'and finds it again');
ok($b->eval('document.querySelector("#alarm").hidden'), 'all is well');

undef $b;

done_testing();
