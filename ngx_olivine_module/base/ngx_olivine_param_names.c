
/*
 * Copyright (C) The Olivine authors
 *
 * Names that are not a row's: those that Redis renamed, and those of
 * redis.conf that have nothing to act on here.
 */


#include "base/ngx_olivine_params.h"


const ngx_olivine_param_name_row_t  ngx_olivine_param_names[] = {

    /* other names of rows, in order */

    { ngx_string("commandlog-execution-slower-than"),
      "slowlog-log-slower-than", NULL },
    { ngx_string("commandlog-slow-execution-max-len"),
      "slowlog-max-len", NULL },
    { ngx_string("hash-max-ziplist-entries"), "hash-max-listpack-entries", NULL },
    { ngx_string("hash-max-ziplist-value"), "hash-max-listpack-value", NULL },
    { ngx_string("list-max-ziplist-size"), "list-max-listpack-size", NULL },
    { ngx_string("lua-time-limit"), "busy-reply-threshold", NULL },
    { ngx_string("min-slaves-max-lag"), "min-replicas-max-lag", NULL },
    { ngx_string("min-slaves-to-write"), "min-replicas-to-write", NULL },
    { ngx_string("repl-ping-slave-period"), "repl-ping-replica-period", NULL },
    { ngx_string("slave-announce-ip"), "replica-announce-ip", NULL },
    { ngx_string("slave-announce-port"), "replica-announce-port", NULL },
    { ngx_string("slave-ignore-maxmemory"), "replica-ignore-maxmemory", NULL },
    { ngx_string("slave-lazy-flush"), "replica-lazy-flush", NULL },
    { ngx_string("slave-priority"), "replica-priority", NULL },
    { ngx_string("slave-read-only"), "replica-read-only", NULL },
    { ngx_string("slave-serve-stale-data"), "replica-serve-stale-data", NULL },
    { ngx_string("slaveof"), "replicaof", NULL },
    { ngx_string("zset-max-ziplist-entries"), "zset-max-listpack-entries", NULL },
    { ngx_string("zset-max-ziplist-value"), "zset-max-listpack-value", NULL },

    /* nothing to act on */

    { ngx_string("active-defrag-cycle-max"), NULL, NULL },
    { ngx_string("active-defrag-cycle-min"), NULL, NULL },
    { ngx_string("active-defrag-ignore-bytes"), NULL, NULL },
    { ngx_string("active-defrag-max-scan-fields"), NULL, NULL },
    { ngx_string("active-defrag-threshold-lower"), NULL, NULL },
    { ngx_string("active-defrag-threshold-upper"), NULL, NULL },
    { ngx_string("activedefrag"), NULL, NULL },
    { ngx_string("activerehashing"), NULL, NULL },
    { ngx_string("always-show-logo"), NULL, NULL },
    { ngx_string("aof-rewrite-cpulist"), NULL, NULL },
    { ngx_string("aof_rewrite_cpulist"), NULL, NULL },
    { ngx_string("bgsave-cpulist"), NULL, NULL },
    { ngx_string("bgsave_cpulist"), NULL, NULL },
    { ngx_string("bind-source-addr"), NULL, NULL },
    { ngx_string("bio-cpulist"), NULL, NULL },
    { ngx_string("bio_cpulist"), NULL, NULL },
    { ngx_string("cluster-allow-pubsubshard-when-down"), NULL, NULL },
    { ngx_string("cluster-allow-reads-when-down"), NULL, NULL },
    { ngx_string("cluster-allow-replica-migration"), NULL, NULL },
    { ngx_string("cluster-announce-bus-port"), NULL, NULL },
    { ngx_string("cluster-announce-hostname"), NULL, NULL },
    { ngx_string("cluster-announce-human-nodename"), NULL, NULL },
    { ngx_string("cluster-announce-ip"), NULL, NULL },
    { ngx_string("cluster-announce-port"), NULL, NULL },
    { ngx_string("cluster-announce-tls-port"), NULL, NULL },
    { ngx_string("cluster-compatibility-sample-ratio"), NULL, NULL },
    { ngx_string("cluster-config-file"), NULL, NULL },
    { ngx_string("cluster-link-sendbuf-limit"), NULL, NULL },
    { ngx_string("cluster-migration-barrier"), NULL, NULL },
    { ngx_string("cluster-node-timeout"), NULL, NULL },
    { ngx_string("cluster-port"), NULL, NULL },
    { ngx_string("cluster-preferred-endpoint-type"), NULL, NULL },
    { ngx_string("cluster-replica-no-failover"), NULL, NULL },
    { ngx_string("cluster-replica-validity-factor"), NULL, NULL },
    { ngx_string("cluster-require-full-coverage"), NULL, NULL },
    { ngx_string("cluster-slave-no-failover"), NULL, NULL },
    { ngx_string("cluster-slave-validity-factor"), NULL, NULL },
    { ngx_string("crash-log-enabled"), NULL, NULL },
    { ngx_string("crash-memcheck-enabled"), NULL, NULL },
    { ngx_string("disable-thp"), NULL, NULL },
    { ngx_string("dynamic-hz"), NULL, NULL },
    { ngx_string("hide-user-data-from-log"), NULL, NULL },
    { ngx_string("ignore-warnings"), NULL, NULL },
    { ngx_string("io-threads-do-reads"), NULL, NULL },
    { ngx_string("jemalloc-bg-thread"), NULL, NULL },
    { ngx_string("locale-collate"), NULL, NULL },
    { ngx_string("max-new-connections-per-cycle"), NULL, NULL },
    { ngx_string("max-new-tls-connections-per-cycle"), NULL, NULL },
    { ngx_string("oom-score-adj"), NULL, NULL },
    { ngx_string("oom-score-adj-values"), NULL, NULL },
    { ngx_string("proc-title-template"), NULL, NULL },
    { ngx_string("replica-full-sync-buffer-limit"), NULL, NULL },
    { ngx_string("server-cpulist"), NULL, NULL },
    { ngx_string("server_cpulist"), NULL, NULL },
    { ngx_string("set-proc-title"), NULL, NULL },
    { ngx_string("shutdown-on-sigint"), NULL, NULL },
    { ngx_string("shutdown-on-sigterm"), NULL, NULL },
    { ngx_string("socket-mark-id"), NULL, NULL },
    { ngx_string("tls-ciphersuites"), NULL, NULL },
    { ngx_string("tls-client-cert-file"), NULL, NULL },
    { ngx_string("tls-client-key-file"), NULL, NULL },
    { ngx_string("tls-client-key-file-pass"), NULL, NULL },
    { ngx_string("tls-cluster"), NULL, NULL },
    { ngx_string("tls-dh-params-file"), NULL, NULL },
    { ngx_string("tls-prefer-server-ciphers"), NULL, NULL },
    { ngx_string("tls-replication"), NULL, NULL },
    { ngx_string("tls-session-cache-size"), NULL, NULL },
    { ngx_string("tls-session-cache-timeout"), NULL, NULL },
    { ngx_string("tls-session-caching"), NULL, NULL },

    /* what is not there */

    { ngx_string("aclfile"), NULL,
      "this version knows no users, \"requirepass\" is the only password" },
    { ngx_string("cluster-enabled"), NULL,
      "this version is no cluster" },
    { ngx_string("enable-module-command"), NULL,
      "this version loads no modules" },
    { ngx_string("loadmodule"), NULL,
      "this version loads no modules" },
    { ngx_string("tls-ca-cert-dir"), NULL,
      "the authorities are to be in one file, tls-ca-cert-file" },
    { ngx_string("tls-key-file-pass"), NULL,
      "the key is to be without a password" },
    { ngx_string("user"), NULL,
      "this version knows no users, \"requirepass\" is the only password" },

    { ngx_null_string, NULL, NULL }
};
