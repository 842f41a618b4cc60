
/*
 * Copyright (C) The Olivine authors
 *
 * What is written of each command; see the header for the notation.
 *
 *     name, group, what it costs
 *     arguments
 *     history, what to use instead
 */


#include "command/ngx_olivine_command_docs.h"


const ngx_olivine_docs_t  ngx_olivine_docs[] = {

    /* strings */

    { ngx_string("set"), "string", "O(1)",
      "key value [condition(NX | XX | IFEQ=ifeq-value@8.4.0 | "
      "IFNE=ifne-value@8.4.0 | IFDEQ=ifdeq-digest@8.4.0 | "
      "IFDNE=ifdne-digest@8.4.0)@2.6.12] [GET@6.2.0] "
      "[expiration(EX=seconds:integer@2.6.12 | "
      "PX=milliseconds:integer@2.6.12 | "
      "EXAT=unix-time-seconds:unix-time@6.2.0 | "
      "PXAT=unix-time-milliseconds:unix-time@6.2.0 | KEEPTTL@6.0.0)]",
      "2.6.12 options EX, PX, NX and XX; 6.0.0 option KEEPTTL; 6.2.0 "
      "options GET, EXAT and PXAT; 7.0.0 NX and GET together; 8.4.0 "
      "options IFEQ, IFNE, IFDEQ and IFDNE",
      NULL },

    { ngx_string("setnx"), "string", "O(1)",
      "key value",
      NULL, "2.6.12 SET with NX" },

    { ngx_string("setex"), "string", "O(1)",
      "key seconds:integer value",
      NULL, "2.6.12 SET with EX" },

    { ngx_string("psetex"), "string", "O(1)",
      "key milliseconds:integer value",
      NULL, "2.6.12 SET with PX" },

    { ngx_string("get"), "string", "O(1)",
      "key",
      NULL, NULL },

    { ngx_string("getset"), "string", "O(1)",
      "key value",
      NULL, "6.2.0 SET with GET" },

    { ngx_string("getdel"), "string", "O(1)",
      "key",
      NULL, NULL },

    { ngx_string("getex"), "string", "O(1)",
      "key [expiration(EX=seconds:integer | PX=milliseconds:integer | "
      "EXAT=unix-time-seconds:unix-time | "
      "PXAT=unix-time-milliseconds:unix-time | PERSIST)]",
      NULL, NULL },

    { ngx_string("delex"), "string",
      "O(1), or O(N) to compare a digest, N the length of the string",
      "key [condition(IFEQ=ifeq-value | IFNE=ifne-value | "
      "IFDEQ=ifdeq-digest | IFDNE=ifdne-digest)]",
      NULL, NULL },

    { ngx_string("digest"), "string", "O(N), N the length of the string",
      "key",
      NULL, NULL },

    { ngx_string("delifeq"), "string", "O(N), N the length of the string",
      "key value",
      NULL, NULL },

    { ngx_string("mget"), "string", "O(N), N the number of keys",
      "key...",
      NULL, NULL },

    { ngx_string("mset"), "string", "O(N), N the number of keys",
      "data(key value)...",
      NULL, NULL },

    { ngx_string("msetnx"), "string", "O(N), N the number of keys",
      "data(key value)...",
      NULL, NULL },

    { ngx_string("msetex"), "string", "O(N), N the number of keys",
      "numkeys:integer data(key value)... [condition(NX | XX)] "
      "[expiration(EX=seconds:integer | PX=milliseconds:integer | "
      "EXAT=unix-time-seconds:unix-time | "
      "PXAT=unix-time-milliseconds:unix-time | KEEPTTL)]",
      NULL, NULL },

    { ngx_string("append"), "string",
      "O(1) on average; O(N) where the string has to move, N its length",
      "key value",
      NULL, NULL },

    { ngx_string("strlen"), "string", "O(1)",
      "key",
      NULL, NULL },

    { ngx_string("getrange"), "string", "O(N), N the bytes returned",
      "key start:integer end:integer",
      NULL, NULL },

    { ngx_string("substr"), "string", "O(N), N the bytes returned",
      "key start:integer end:integer",
      NULL, "2.0.0 GETRANGE" },

    { ngx_string("setrange"), "string",
      "O(N), N the bytes written, or those that the string is lengthened by",
      "key offset:integer value",
      NULL, NULL },

    { ngx_string("incr"), "string", "O(1)",
      "key",
      NULL, NULL },

    { ngx_string("decr"), "string", "O(1)",
      "key",
      NULL, NULL },

    { ngx_string("incrby"), "string", "O(1)",
      "key increment:integer",
      NULL, NULL },

    { ngx_string("decrby"), "string", "O(1)",
      "key decrement:integer",
      NULL, NULL },

    { ngx_string("incrbyfloat"), "string", "O(1)",
      "key increment:double",
      NULL, NULL },

    { ngx_string("increx"), "string", "O(1)",
      "key [increment(BYFLOAT=float:double | BYINT=integer:integer)] "
      "[SATURATE] [LBOUND=lowerbound] [UBOUND=upperbound] "
      "[expiration(EX=seconds:integer | PX=milliseconds:integer | "
      "EXAT=unix-time-seconds:unix-time | "
      "PXAT=unix-time-milliseconds:unix-time | PERSIST)] [ENX]",
      NULL, NULL },

    { ngx_string("lcs"), "string",
      "O(N*M), N and M the lengths of both strings",
      "key1:key key2:key [LEN] [IDX] [MINMATCHLEN=min-match-len:integer] "
      "[WITHMATCHLEN]",
      NULL, NULL },

    /* keys */

    { ngx_string("del"), "generic",
      "O(N), N the number of keys, for strings; for others the elements "
      "that they hold",
      "key...",
      NULL, NULL },

    { ngx_string("unlink"), "generic",
      "O(N), N the number of keys; memory is freed behind the scenes",
      "key...",
      NULL, NULL },

    { ngx_string("exists"), "generic", "O(N), N the number of keys",
      "key...",
      "3.0.3 several keys", NULL },

    { ngx_string("type"), "generic", "O(1)",
      "key",
      NULL, NULL },

    { ngx_string("rename"), "generic", "O(1)",
      "key newkey:key#1",
      NULL, NULL },

    { ngx_string("renamenx"), "generic", "O(1)",
      "key newkey:key#1",
      "3.2.0 no error where both names are one", NULL },

    { ngx_string("copy"), "generic",
      "O(N), N what the key holds; O(1) for a short string",
      "source:key destination:key#1 [DB=destination-db:integer] [REPLACE]",
      NULL, NULL },

    { ngx_string("move"), "generic", "O(1)",
      "key db:integer",
      NULL, NULL },

    { ngx_string("touch"), "generic", "O(N), N the number of keys",
      "key...",
      NULL, NULL },

    { ngx_string("keys"), "generic", "O(N), N all keys of the database",
      "pattern:pattern",
      NULL, NULL },

    { ngx_string("scan"), "generic",
      "O(1) a call, O(N) until the cursor is 0 again, N all keys of the "
      "database",
      "cursor:integer [MATCH=pattern:pattern] [COUNT=count:integer] "
      "[TYPE=type@6.0.0]",
      "6.0.0 option TYPE", NULL },

    { ngx_string("randomkey"), "generic", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("dump"), "generic", "O(N), N the bytes returned",
      "key",
      NULL, NULL },

    { ngx_string("restore"), "generic",
      "O(N), N the bytes given; for a sorted set O(N*log(N))",
      "key ttl:integer serialized-value [REPLACE@3.0.0] [ABSTTL@5.0.0] "
      "[IDLETIME=seconds:integer@5.0.0] [FREQ=frequency:integer@5.0.0]",
      "3.0.0 option REPLACE; 5.0.0 options ABSTTL, IDLETIME and FREQ",
      NULL },

    { ngx_string("object"), "generic", "Depends on the subcommand",
      NULL,
      NULL, NULL },

    { ngx_string("object|encoding"), "generic", "O(1)",
      "key",
      NULL, NULL },

    { ngx_string("object|freq"), "generic", "O(1)",
      "key",
      NULL, NULL },

    { ngx_string("object|idletime"), "generic", "O(1)",
      "key",
      NULL, NULL },

    { ngx_string("object|refcount"), "generic", "O(1)",
      "key",
      NULL, NULL },

    { ngx_string("object|help"), "generic", "O(1)",
      NULL,
      NULL, NULL },

    /* expiry */

    { ngx_string("expire"), "generic", "O(1)",
      "key seconds:integer [condition(NX | XX | GT | LT)@7.0.0]",
      "7.0.0 options NX, XX, GT and LT", NULL },

    { ngx_string("pexpire"), "generic", "O(1)",
      "key milliseconds:integer [condition(NX | XX | GT | LT)@7.0.0]",
      "7.0.0 options NX, XX, GT and LT", NULL },

    { ngx_string("expireat"), "generic", "O(1)",
      "key unix-time-seconds:unix-time [condition(NX | XX | GT | LT)@7.0.0]",
      "7.0.0 options NX, XX, GT and LT", NULL },

    { ngx_string("pexpireat"), "generic", "O(1)",
      "key unix-time-milliseconds:unix-time [condition(NX | XX | GT | "
      "LT)@7.0.0]",
      "7.0.0 options NX, XX, GT and LT", NULL },

    { ngx_string("ttl"), "generic", "O(1)",
      "key",
      "2.8.0 -2 for a key that is not there", NULL },

    { ngx_string("pttl"), "generic", "O(1)",
      "key",
      "2.8.0 -2 for a key that is not there", NULL },

    { ngx_string("expiretime"), "generic", "O(1)",
      "key",
      NULL, NULL },

    { ngx_string("pexpiretime"), "generic", "O(1)",
      "key",
      NULL, NULL },

    { ngx_string("persist"), "generic", "O(1)",
      "key",
      NULL, NULL },

    /* transactions */

    { ngx_string("multi"), "transactions", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("exec"), "transactions",
      "Depends on the commands that were queued",
      NULL,
      NULL, NULL },

    { ngx_string("discard"), "transactions",
      "O(N), N the commands that were queued",
      NULL,
      NULL, NULL },

    { ngx_string("watch"), "transactions", "O(N), N the number of keys",
      "key...",
      NULL, NULL },

    { ngx_string("unwatch"), "transactions", "O(1)",
      NULL,
      NULL, NULL },

    /* connection */

    { ngx_string("ping"), "connection", "O(1)",
      "[message]",
      NULL, NULL },

    { ngx_string("echo"), "connection", "O(1)",
      "message",
      NULL, NULL },

    { ngx_string("select"), "connection", "O(1)",
      "index:integer",
      NULL, NULL },

    { ngx_string("hello"), "connection", "O(1)",
      "[arguments(protover:integer [AUTH=auth(username password)] "
      "[SETNAME=clientname])]",
      "6.2.0 without arguments it tells how things are", NULL },

    { ngx_string("auth"), "connection", "O(1)",
      "[username@6.0.0] password",
      "6.0.0 a user name", NULL },

    { ngx_string("quit"), "connection", "O(1)",
      NULL,
      NULL, "7.2.0 closing the connection" },

    { ngx_string("reset"), "connection", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("client"), "connection", "Depends on the subcommand",
      NULL,
      NULL, NULL },

    { ngx_string("client|id"), "connection", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("client|info"), "connection", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("client|list"), "connection",
      "O(N), N the number of clients",
      "[TYPE=client-type(NORMAL | MASTER | REPLICA | PUBSUB)@5.0.0] "
      "[ID=client-id:integer@6.2.0...]",
      "2.8.12 field id; 5.0.0 option TYPE; 6.0.0 field user; 6.2.0 fields "
      "argv-mem, tot-mem, laddr and redir, option ID; 7.0.0 fields resp, "
      "multi-mem, rbs and rbp; 7.0.3 field ssub; 7.2.0 fields lib-name and "
      "lib-ver; 7.4.0 field watch; 8.0.0 field io-thread",
      NULL },

    { ngx_string("client|kill"), "connection",
      "O(N), N the number of clients",
      "filter(old-format<ip:port>!2.8.12 | "
      "new-format([ID=client-id:integer@2.8.12] | [TYPE=client-type(NORMAL "
      "| MASTER@3.2.0 | SLAVE | REPLICA@5.0.0 | PUBSUB)@2.8.12] | "
      "[USER=username] | [ADDR=addr<ip:port>] | "
      "[LADDR=laddr<ip:port>@6.2.0] | [SKIPME=skipme(YES | NO)] | "
      "[MAXAGE=maxage:integer@7.4.0])...)",
      "2.8.12 filters, among them ID; 3.2.0 TYPE master; 5.0.0 TYPE "
      "replica; 6.2.0 filter LADDR; 7.4.0 filter MAXAGE",
      NULL },

    { ngx_string("client|pause"), "connection", "O(1)",
      "timeout:integer [mode(WRITE | ALL)@6.2.0]",
      "6.2.0 WRITE", NULL },

    { ngx_string("client|unpause"), "connection",
      "O(N), N the clients that wait",
      NULL,
      NULL, NULL },

    { ngx_string("client|reply"), "connection", "O(1)",
      "action(ON | OFF | SKIP)",
      NULL, NULL },

    { ngx_string("client|getname"), "connection", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("client|setname"), "connection", "O(1)",
      "connection-name",
      NULL, NULL },

    { ngx_string("client|setinfo"), "connection", "O(1)",
      "attr(LIB-NAME=libname | LIB-VER=libver)",
      NULL, NULL },

    { ngx_string("client|no-evict"), "connection", "O(1)",
      "enabled(ON | OFF)",
      NULL, NULL },

    { ngx_string("client|no-touch"), "connection", "O(1)",
      "enabled(ON | OFF)",
      NULL, NULL },

    { ngx_string("client|getredir"), "connection", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("client|unblock"), "connection",
      "O(log N), N the number of clients",
      "client-id:integer [unblock-type(TIMEOUT | ERROR)]",
      NULL, NULL },

    { ngx_string("client|trackinginfo"), "connection", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("client|help"), "connection", "O(1)",
      NULL,
      NULL, NULL },

    /* server */

    { ngx_string("dbsize"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("flushdb"), "server", "O(N), N the keys of the database",
      "[flush-type(ASYNC@4.0.0 | SYNC@6.2.0)]",
      "4.0.0 option ASYNC; 6.2.0 option SYNC", NULL },

    { ngx_string("flushall"), "server", "O(N), N the keys of all databases",
      "[flush-type(ASYNC@4.0.0 | SYNC@6.2.0)]",
      "4.0.0 option ASYNC; 6.2.0 option SYNC", NULL },

    { ngx_string("swapdb"), "server",
      "O(N), N the clients that watch or wait for a key in either",
      "index1:integer index2:integer",
      NULL, NULL },

    { ngx_string("time"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("info"), "server", "O(1)",
      "[section...]",
      "7.0.0 several sections", NULL },

    { ngx_string("command"), "server", "O(N), N the number of commands",
      NULL,
      NULL, NULL },

    { ngx_string("command|count"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("command|info"), "server", "O(N), N the commands asked for",
      "[command-name...]",
      "7.0.0 all commands where none is named", NULL },

    { ngx_string("command|docs"), "server", "O(N), N the commands asked for",
      "[command-name...]",
      NULL, NULL },

    { ngx_string("command|getkeys"), "server",
      "O(N), N the number of arguments",
      "command [arg...]",
      NULL, NULL },

    { ngx_string("command|getkeysandflags"), "server",
      "O(N), N the number of arguments",
      "command [arg...]",
      NULL, NULL },

    { ngx_string("command|list"), "server", "O(N), N the number of commands",
      "[FILTERBY=filterby(MODULE=module-name | ACLCAT=category | "
      "PATTERN=pattern:pattern)]",
      NULL, NULL },

    { ngx_string("command|help"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("config"), "server", "Depends on the subcommand",
      NULL,
      NULL, NULL },

    { ngx_string("config|get"), "server", "O(N), N the number of parameters",
      "parameter...",
      "7.0.0 several patterns", NULL },

    { ngx_string("config|set"), "server", "O(N), N the number of parameters",
      "data(parameter value)...",
      "7.0.0 several parameters", NULL },

    { ngx_string("config|rewrite"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("config|resetstat"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("config|help"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("debug"), "server", "Depends on the subcommand",
      NULL,
      NULL, NULL },

    { ngx_string("memory"), "server", "Depends on the subcommand",
      NULL,
      NULL, NULL },

    { ngx_string("memory|usage"), "server", "O(1)",
      "key [SAMPLES=count:integer]",
      NULL, NULL },

    { ngx_string("memory|stats"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("memory|doctor"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("memory|purge"), "server", "O(N), N the free pages",
      NULL,
      NULL, NULL },

    { ngx_string("memory|malloc-stats"), "server", "O(N), N the shards",
      NULL,
      NULL, NULL },

    { ngx_string("memory|help"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("latency"), "server", "Depends on the subcommand",
      NULL,
      NULL, NULL },

    { ngx_string("latency|latest"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("latency|history"), "server", "O(1)",
      "event",
      NULL, NULL },

    { ngx_string("latency|reset"), "server", "O(1)",
      "[event...]",
      NULL, NULL },

    { ngx_string("latency|histogram"), "server",
      "O(N), N the commands asked for",
      "[command...]",
      NULL, NULL },

    { ngx_string("latency|graph"), "server", "O(1)",
      "event",
      NULL, NULL },

    { ngx_string("latency|doctor"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("latency|help"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("slowlog"), "server", "Depends on the subcommand",
      NULL,
      NULL, NULL },

    { ngx_string("slowlog|get"), "server", "O(N), N the entries returned",
      "[count:integer]",
      "4.0.0 address and name of the client", NULL },

    { ngx_string("slowlog|len"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("slowlog|reset"), "server", "O(N), N the entries there are",
      NULL,
      NULL, NULL },

    { ngx_string("slowlog|help"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("commandlog"), "server", "Depends on the subcommand",
      NULL,
      NULL, NULL },

    { ngx_string("commandlog|get"), "server", "O(N), N the entries returned",
      "count:integer type(SLOW | LARGE-REQUEST | LARGE-REPLY)",
      NULL, NULL },

    { ngx_string("commandlog|len"), "server", "O(1)",
      "type(SLOW | LARGE-REQUEST | LARGE-REPLY)",
      NULL, NULL },

    { ngx_string("commandlog|reset"), "server",
      "O(N), N the entries there are",
      "type(SLOW | LARGE-REQUEST | LARGE-REPLY)",
      NULL, NULL },

    { ngx_string("commandlog|help"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("monitor"), "server", NULL,
      NULL,
      NULL, NULL },

    { ngx_string("hotkeys"), "server", "Depends on the subcommand",
      NULL,
      NULL, NULL },

    { ngx_string("hotkeys|start"), "server", "O(1)",
      "METRICS=metrics(count:integer [CPU] [NET]) [COUNT=k:integer] "
      "[DURATION=seconds:integer] [SAMPLE=ratio:integer]",
      NULL, NULL },

    { ngx_string("hotkeys|stop"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("hotkeys|get"), "server", "O(K), K the keys returned",
      NULL,
      NULL, NULL },

    { ngx_string("hotkeys|reset"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("hotkeys|help"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("lolwut"), "server", NULL,
      "[VERSION=version:integer]",
      NULL, NULL },

    { ngx_string("save"), "server", "O(N) for N keys in all databases",
      NULL,
      NULL, NULL },

    { ngx_string("bgsave"), "server", "O(1)",
      "[SCHEDULE@3.2.2]",
      "3.2.2 option SCHEDULE", NULL },

    { ngx_string("bgrewriteaof"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("lastsave"), "server", "O(1)",
      NULL,
      NULL, NULL },

    { ngx_string("shutdown"), "server", "O(1)",
      "[save-selector(NOSAVE | SAVE)] [NOW@7.0.0] [FORCE@7.0.0] "
      "[ABORT@7.0.0]",
      "7.0.0 options NOW, FORCE and ABORT", NULL },

    { ngx_null_string, NULL, NULL, NULL, NULL, NULL }
};
