#!/usr/bin/perl

# One exchange as nginx's own test tool sees it.

use Test::Nginx::Socket 'no_plan';

no_root_location();
run_tests();

__DATA__

=== TEST 1: ping
--- main_config
    stream {
        olivine_zone main 64m {
        }

        server {
            listen $TEST_NGINX_STREAM_PORT;
            olivine main;
        }
    }
--- config
--- raw_request eval
"*1\r\n\$4\r\nPING\r\n"
--- http09
--- shutdown: 1
--- response_body eval
"+PONG\r\n"
--- no_error_log
[alert]
[emerg]



=== TEST 2: two pings in one write
--- main_config
    stream {
        olivine_zone main 64m {
        }

        server {
            listen $TEST_NGINX_STREAM_PORT;
            olivine main;
        }
    }
--- config
--- raw_request eval
"*1\r\n\$4\r\nPING\r\n*1\r\n\$4\r\nPING\r\n"
--- http09
--- shutdown: 1
--- response_body eval
"+PONG\r\n+PONG\r\n"
--- no_error_log
[alert]
[emerg]
