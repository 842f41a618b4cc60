package Olivine::Http;

# What tests ask a server over http; one connection a request.
#
#     my $h = Olivine::Http->new(port => 6060);
#     $h->get('/metrics')         { status, headers, content } as HTTP::Tiny's
#     $h->head('/'), $h->post('/debug/pprof/symbol', 'body')
#     $h->begin('/path')          sends a request, returns the socket
#     Olivine::Http::finish($s)   reads its response

use strict;
use warnings;

use HTTP::Tiny;
use IO::Socket::INET;


sub new {
    my ($class, %o) = @_;
    return bless { address => '127.0.0.1', timeout => 20, %o }, $class;
}


sub get { return shift->request('GET', @_) }

sub head { return shift->request('HEAD', @_) }

sub post {
    my ($h, $path, $body) = @_;
    return $h->request('POST', $path, { content => $body });
}


sub request {
    my ($h, $method, $path, $more) = @_;

    # nothing of the environment's proxies
    my $http = HTTP::Tiny->new(timeout => $h->{timeout}, max_redirect => 0,
        proxy => undef, http_proxy => undef, keep_alive => 0);

    return $http->request($method, "http://$h->{address}:$h->{port}$path",
        $more || {});
}


sub begin {
    my ($h, $path, $method) = @_;

    my $socket = IO::Socket::INET->new(PeerAddr => $h->{address},
        PeerPort => $h->{port}, Proto => 'tcp') or die "connect: $!\n";

    $method ||= 'GET';
    syswrite $socket, "$method $path HTTP/1.0\r\n\r\n";

    return $socket;
}


sub finish {
    my ($socket) = @_;

    my $all = do { local $/; <$socket> } // '';
    my ($head, $body) = split /\r\n\r\n/, $all, 2;
    my ($status) = ($head // '') =~ m{^HTTP/1\.[01] (\d+)};

    return { status => $status // 0, head => $head // '',
             content => $body // '' };
}

1;
