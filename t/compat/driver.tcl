# Runs one file of the public suite against a server that is there already:
#
#     tclsh driver.tcl SUITE FILE HOST PORT [SKIP]
#
# SUITE is the suite's folder, as it was unpacked; SKIP a file with names of
# tests, one a line, that are left out.  Everything of the suite is its own;
# here is what its scheduler would do, and what it does with a server before
# and after a group of tests: the suite takes for granted that there are
# functions and all parameters.
#
# Events go to standard output, one a line, in which "\n" stands for a line
# end: testing NAME, ok NAME, err TEXT, skip NAME, ignore TEXT, done, and
# outside TEXT, an error in no test.  What the tests print goes there, too.

lassign $argv compat_suite compat_file compat_host compat_port compat_skip

set compat_test ""

cd $compat_suite

# all of the helper but its last command, which starts the scheduler

set argv [list --host $compat_host --port $compat_port --durable]
set argc [llength $argv]

set compat_from [open tests/test_helper.tcl]
set compat_text [read $compat_from]
close $compat_from

set compat_end [string last "\nif \{\$::client\} \{" $compat_text]

if {$compat_end < 0} {
    puts stderr "driver: this is no helper that we know"
    exit 2
}

eval [string range $compat_text 0 $compat_end]

set ::client 1
set ::test_server_fd none

# a port that is in use, for tests that want one
set ::test_server_port [lindex \
    [fconfigure [socket -server {apply {args {}}} -myaddr 127.0.0.1 0] \
    -sockname] 2]


proc compat_event {event {text ""}} {
    set text [string map [list "\\" "\\\\" "\n" "\\n" "\r" "\\r"] $text]
    puts "\n@@ $event $text"
    flush stdout
}

# where the suite tells its scheduler

proc send_data_packet {fd status data {elapsed 0}} {
    switch -- $status {
        testing {
            set ::compat_test $data
            compat_event testing $data
        }
        ok - skip {
            compat_event $status $data
            set ::compat_test ""
        }
        err {
            compat_event [expr {$::compat_test eq "" ? "outside" : "err"}] \
                $data
            set ::compat_test ""
        }
        ignore {
            compat_event ignore $data
        }
    }
}

# what may be missing is not there to be undone

proc compat_try {args} {
    if {[catch {r {*}$args} reply]} {
        return ""
    }
    return $reply
}

proc run_external_server_test {code overrides} {
    set client [redis $::host $::port 0 $::tls]
    $client select 9

    lappend ::servers [dict create host $::host port $::port client $client \
        config [dict create port $::port]]

    r flushall
    compat_try function flush

    set saved {}

    foreach {name value} $overrides {
        lappend saved $name [lindex [compat_try config get $name] 1]
        compat_try config set $name $value
    }

    if {[catch {uplevel 2 $code} why]} {
        compat_event outside "$why\n$::errorInfo"
    }

    foreach {name value} $saved {
        compat_try config set $name $value
    }

    set client [dict get [lindex $::servers end] client]
    set ::servers [lrange $::servers 0 end-1]
    catch {$client close}
}


if {$compat_skip ne ""} {
    set compat_from [open $compat_skip]
    foreach name [split [read $compat_from] "\n"] {
        if {$name ne ""} {
            lappend ::skiptests $name
        }
    }
    close $compat_from
}

if {[catch {execute_test_file $compat_file} why]} {
    compat_event outside "$why\n$::errorInfo"
}

compat_event done
