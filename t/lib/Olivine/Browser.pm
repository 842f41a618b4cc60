package Olivine::Browser;

# Drives a headless Chromium over its own protocol: JSON texts, each ended by
# a zero byte, on two pipes.
#
#     my $b = Olivine::Browser->new or plan skip_all => ...;
#     $b->size(1280, 900, dark => 1);
#     $b->open("http://127.0.0.1:6060/");
#     $b->until('document.title === "x"', 5);    JavaScript
#     my $value = $b->eval('2 + 2');
#     $b->click('#button');                      by a real mouse event
#     $b->screenshot('page.png');
#     $b->said                                   errors and console messages
#
# Nothing is left behind when the object goes.

use strict;
use warnings;

use File::Temp qw(tempdir);
use IO::Select;
use JSON::PP;
use MIME::Base64 qw(decode_base64);
use POSIX qw(dup2 _exit WNOHANG);
use Time::HiRes qw(time sleep);


my @programs = qw(chromium-headless-shell chromium chromium-browser
                  google-chrome);


sub program {
    for my $name (@programs) {
        for my $dir (split /:/, $ENV{PATH}) {
            return "$dir/$name" if -x "$dir/$name";
        }
    }

    return;
}


# undef if there is no browser.

sub new {
    my ($class, %o) = @_;

    my $program = program() or return;

    my $b = bless { timeout => 20, id => 0, said => [], %o }, $class;
    $b->{dir} = tempdir('olivine-browser-XXXXXX', TMPDIR => 1, CLEANUP => 1);

    pipe my $in, $b->{to} or die "pipe: $!\n";
    pipe $b->{from}, my $out or die "pipe: $!\n";

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        my @command = ($program, '--headless', '--remote-debugging-pipe',
            '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
            '--no-first-run', '--no-proxy-server', '--hide-scrollbars',
            '--disable-background-networking', '--disable-breakpad',
            "--user-data-dir=$b->{dir}/user", 'about:blank');

        # 3 is read, 4 written; neither end may be in the other's place

        setpgrp;
        my ($read, $write) = map { POSIX::dup($_) }
            fileno $in, fileno $out;
        dup2($read, 3);
        dup2($write, 4);
        POSIX::close($_) for $read, $write;

        open STDIN, '<', '/dev/null';
        open STDOUT, '>', "$b->{dir}/log";
        open STDERR, '>&', \*STDOUT;
        exec { $program } @command or _exit(127);
    }

    close $in;
    close $out;
    $b->{pid} = $pid;
    $b->{parent} = $$;
    $b->{to}->autoflush(1);

    my ($page) = grep { $_->{type} eq 'page' }
        @{ $b->call('Target.getTargets')->{targetInfos} };

    $b->{session} = $b->call('Target.attachToTarget',
        { targetId => $page->{targetId}, flatten => JSON::PP::true })
        ->{sessionId};

    $b->call("$_.enable") for qw(Page Runtime Log Network);

    return $b;
}


sub call {
    my ($b, $method, $params) = @_;

    my $id = ++$b->{id};
    my %message = (id => $id, method => $method, params => $params || {});

    $message{sessionId} = $b->{session} if $b->{session};

    syswrite $b->{to}, encode_json(\%message) . "\0";

    my $end = time + $b->{timeout};

    while (time < $end) {
        my $answer = $b->message($end - time) or next;

        if (($answer->{id} // 0) == $id) {
            die "$method: $answer->{error}{message}\n" if $answer->{error};
            return $answer->{result};
        }
    }

    die "$method: no answer\n" . $b->log;
}


# The next message; events are looked at.

sub message {
    my ($b, $seconds) = @_;

    $b->{bytes} //= '';

    while ($b->{bytes} !~ /\0/) {
        IO::Select->new($b->{from})->can_read($seconds) or return;

        my $n = sysread $b->{from}, $b->{bytes}, 1 << 20, length $b->{bytes};
        die "the browser ended\n" . $b->log if !$n;
    }

    $b->{bytes} =~ s/^([^\0]*)\0//;
    my $message = decode_json($1);

    $b->event($message->{method}, $message->{params}) if $message->{method};

    return $message;
}


sub event {
    my ($b, $method, $p) = @_;

    if ($method eq 'Runtime.exceptionThrown') {
        my $e = $p->{exceptionDetails};
        push @{ $b->{said} }, $e->{exception}{description} || $e->{text};

    } elsif ($method eq 'Runtime.consoleAPICalled') {
        push @{ $b->{said} }, join ' ', $p->{type},
            map { $_->{value} // $_->{description} // '' } @{ $p->{args} };

    } elsif ($method eq 'Log.entryAdded') {
        push @{ $b->{said} }, "$p->{entry}{level}: $p->{entry}{text} "
            . ($p->{entry}{url} // '');

    } elsif ($method eq 'Page.loadEventFired') {
        $b->{loaded} = 1;

    } elsif ($method eq 'Network.requestWillBeSent') {
        push @{ $b->{asked} }, $p->{request}{url};
    }
}


# What page and browser have complained about since the last call.

sub said {
    my ($b) = @_;

    $b->call('Runtime.evaluate', { expression => '1' });

    my @said = @{ $b->{said} };
    $b->{said} = [];

    return @said;
}


# URLs that were asked for.

sub asked { return @{ $_[0]{asked} || [] } }


sub size {
    my ($b, $width, $height, %o) = @_;

    $b->call('Emulation.setDeviceMetricsOverride', { width => $width + 0,
        height => $height + 0, deviceScaleFactor => ($o{scale} || 1) + 0,
        mobile => $o{mobile} ? JSON::PP::true : JSON::PP::false });

    $b->call('Emulation.setEmulatedMedia', { features => [
        { name => 'prefers-color-scheme',
          value => $o{dark} ? 'dark' : 'light' } ] });
}


sub open {
    my ($b, $url) = @_;

    $b->{loaded} = 0;
    $b->call('Page.navigate', { url => $url });

    my $end = time + $b->{timeout};
    $b->message($end - time) while !$b->{loaded} && time < $end;

    return $b->{loaded};
}


sub eval {
    my ($b, $js) = @_;

    my $r = $b->call('Runtime.evaluate', { expression => $js,
        returnByValue => JSON::PP::true, awaitPromise => JSON::PP::true });

    if ($r->{exceptionDetails}) {
        die "$js: " . ($r->{exceptionDetails}{exception}{description}
                       || $r->{exceptionDetails}{text}) . "\n";
    }

    return $r->{result}{value};
}


sub text {
    my ($b, $selector) = @_;
    return $b->eval('document.querySelector(' . encode_json([$selector])
        . '[0]).textContent');
}


# Waits for a true value, and returns it.

sub until {
    my ($b, $js, $seconds) = @_;
    my $end = time + ($seconds || $b->{timeout});
    my $value;

    while (1) {
        return $value if $value = $b->eval($js);
        return 0 if time > $end;
        sleep 0.1;
    }
}


# The middle of an element, scrolled into view; a selector, or JavaScript that
# gives an element.

sub click {
    my ($b, $what) = @_;

    my $element = $what =~ /[(]/ ? $what
        : 'document.querySelector(' . encode_json([$what]) . '[0])';

    my $at = $b->eval("(function (e) { e.scrollIntoView({ block: 'center' });"
        . ' var r = e.getBoundingClientRect();'
        . " return [r.left + r.width / 2, r.top + r.height / 2]; })($element)");

    for my $type (qw(mouseMoved mousePressed mouseReleased)) {
        $b->call('Input.dispatchMouseEvent', { type => $type, x => $at->[0],
            y => $at->[1], clickCount => 1, button => 'left' });
    }
}


sub screenshot {
    my ($b, $file, %o) = @_;

    my $r = $b->call('Page.captureScreenshot', { format => 'png',
        captureBeyondViewport => $o{whole} ? JSON::PP::true
                                           : JSON::PP::false,
        ($o{clip} ? (clip => { %{ $o{clip} }, scale => $o{scale} || 1 })
                  : ()) });

    CORE::open my $out, '>:raw', $file or die "$file: $!\n";
    print $out decode_base64($r->{data});
    close $out or die "$file: $!\n";
}


sub log {
    my ($b) = @_;
    CORE::open my $in, '<', "$b->{dir}/log" or return '';
    local $/;
    return <$in> // '';
}


sub DESTROY {
    my ($b) = @_;

    return if !$b->{pid} || $$ != $b->{parent};

    local ($?, $!, $@);

    kill TERM => -$b->{pid};

    for (1 .. 30) {
        last if waitpid($b->{pid}, WNOHANG) == $b->{pid};
        sleep 0.1;
        kill KILL => -$b->{pid} if $_ == 20;
    }
}

1;
