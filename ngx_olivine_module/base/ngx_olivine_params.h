/*
 * Copyright (C) The Olivine authors
 *
 * The parameter table: one row a parameter, read by redis.conf, command-line
 * flags, CONFIG and the nginx block alike.
 *
 * The values are plain data without a pointer: they are copied, and the
 * running ones lie in the zone.  Each has one representation (unused bytes
 * are zero), so rows compare as bytes.  Nothing here locks: a CONFIG SET sets
 * rows in a copy, then copies those rows under the lock of the running ones.
 */


#ifndef _NGX_OLIVINE_PARAMS_H_INCLUDED_
#define _NGX_OLIVINE_PARAMS_H_INCLUDED_


#include "base/ngx_olivine_base.h"


/* CONFIG SET may change it */
#define NGX_OLIVINE_PARAM_LIVE       0x01
/* holds for the life of a zone: a reload that changes it is refused */
#define NGX_OLIVINE_PARAM_FIXED      0x02
/* never shown in logs or --print-config */
#define NGX_OLIVINE_PARAM_SECRET     0x04
/* CONFIG SET answers "can't set protected config" */
#define NGX_OLIVINE_PARAM_PROTECTED  0x08
/* in files it takes several words and may be repeated */
#define NGX_OLIVINE_PARAM_WORDS      0x10
/* ... and then adds to what was given before */
#define NGX_OLIVINE_PARAM_ADDS       0x20
/* a rewritten file has a line for each part of it */
#define NGX_OLIVINE_PARAM_LINES      0x40
/* the standalone acts on it; in another nginx it is only shown */
#define NGX_OLIVINE_PARAM_HOST       0x80
/* CONFIG SET takes no value but the one it has */
#define NGX_OLIVINE_PARAM_SAME       0x800
/* kept and shown, without use in this version */
#define NGX_OLIVINE_PARAM_IDLE       0x100
/* CONFIG GET shows it only when asked for its name */
#define NGX_OLIVINE_PARAM_HIDDEN     0x200

/* not of Redis: a rewritten file does not get it, so that Redis reads it */
#define NGX_OLIVINE_PARAM_OWN        0x400

#define NGX_OLIVINE_PARAM_LATER                                               \
    (NGX_OLIVINE_PARAM_LIVE|NGX_OLIVINE_PARAM_IDLE)

/* room that ngx_olivine_params_set() needs for an error text */
#define NGX_OLIVINE_PARAM_ERROR      256
/* room that suffices for any printed value */
#define NGX_OLIVINE_PARAM_PRINT      1280
#define NGX_OLIVINE_PARAM_LINE       (4 * NGX_OLIVINE_PARAM_PRINT)

/* a name that differs by as much is no slip of the pen */
#define NGX_OLIVINE_PARAM_NEAR       3

#define NGX_OLIVINE_REQUIREPASS_MAX  512
#define NGX_OLIVINE_DIR_MAX          1024
#define NGX_OLIVINE_PATH_MAX         1024
#define NGX_OLIVINE_BIND_MAX         1024
#define NGX_OLIVINE_NAME_MAX         248
#define NGX_OLIVINE_SAVE_POINTS      16
#define NGX_OLIVINE_PERCENTILES      16

#define NGX_OLIVINE_DEBUG_NO         0
#define NGX_OLIVINE_DEBUG_YES        1
#define NGX_OLIVINE_DEBUG_LOCAL      2

#define NGX_OLIVINE_LOG_DEBUG        0
#define NGX_OLIVINE_LOG_VERBOSE      1
#define NGX_OLIVINE_LOG_NOTICE       2
#define NGX_OLIVINE_LOG_WARNING      3
#define NGX_OLIVINE_LOG_NOTHING      4

#define NGX_OLIVINE_POLICY_NOEVICTION  7

#define NGX_OLIVINE_FSYNC_EVERYSEC     0
#define NGX_OLIVINE_FSYNC_ALWAYS       1
#define NGX_OLIVINE_FSYNC_NO           2

#define NGX_OLIVINE_AUTH_NO          0
#define NGX_OLIVINE_AUTH_YES         1
#define NGX_OLIVINE_AUTH_OPTIONAL    2

#define NGX_OLIVINE_SUPERVISED_SYSTEMD  1
#define NGX_OLIVINE_SUPERVISED_AUTO  2

/* classes of clients with an output limit of their own */
#define NGX_OLIVINE_CLASS_NORMAL     0
#define NGX_OLIVINE_CLASS_REPLICA    1
#define NGX_OLIVINE_CLASS_PUBSUB     2
#define NGX_OLIVINE_CLASSES          3


typedef struct {
    int64_t                      hard;
    int64_t                      soft;
    int64_t                      seconds;
} ngx_olivine_output_limit_t;


typedef struct {
    int64_t                      seconds;
    int64_t                      changes;
} ngx_olivine_save_point_t;


typedef struct {
    int64_t                      n;
    ngx_olivine_save_point_t     points[NGX_OLIVINE_SAVE_POINTS];
} ngx_olivine_save_t;


/* texts: a length, then the bytes, zero-terminated */

typedef struct {
    size_t                       len;
    u_char                       data[NGX_OLIVINE_NAME_MAX + 8];
} ngx_olivine_param_name_t;


typedef struct {
    size_t                       len;
    u_char                       data[NGX_OLIVINE_REQUIREPASS_MAX + 8];
} ngx_olivine_param_secret_t;


typedef struct {
    size_t                       len;
    u_char                       data[NGX_OLIVINE_PATH_MAX + 8];
} ngx_olivine_param_path_t;


typedef struct {
    int64_t                      n;
    double                       values[NGX_OLIVINE_PERCENTILES];
} ngx_olivine_percentiles_t;


struct ngx_olivine_params_s {
    int64_t                      maxmemory;
    int64_t                      min_replicas_to_write;
    int64_t                      proto_max_bulk_len;
    int64_t                      client_query_buffer_limit;
    int64_t                      maxclients;
    int64_t                      databases;
    int64_t                      timeout;
    int64_t                      tcp_keepalive;
    int64_t                      enable_debug_command;
    int64_t                      lock_timing;
    int64_t                      heap_sample_bytes;
    int64_t                      profile_rate;
    ngx_olivine_output_limit_t   output_limit[NGX_OLIVINE_CLASSES];
    ngx_olivine_param_secret_t   requirepass;

    int64_t                      acl_pubsub_default;
    int64_t                      acllog_max_len;
    int64_t                      active_expire_effort;
    int64_t                      aof_load_truncated;
    int64_t                      aof_rewrite_incremental_fsync;
    int64_t                      aof_timestamp_enabled;
    int64_t                      aof_use_rdb_preamble;
    int64_t                      appendfsync;
    int64_t                      appendonly;
    int64_t                      auto_aof_rewrite_min_size;
    int64_t                      auto_aof_rewrite_percentage;
    int64_t                      busy_reply_threshold;
    int64_t                      daemonize;
    int64_t                      enable_protected_configs;
    int64_t                      hash_max_listpack_entries;
    int64_t                      hash_max_listpack_value;
    int64_t                      hll_sparse_max_bytes;
    int64_t                      hz;
    int64_t                      io_threads;
    int64_t                      key_load_delay;
    int64_t                      lazyfree_lazy_eviction;
    int64_t                      lazyfree_lazy_expire;
    int64_t                      lazyfree_lazy_server_del;
    int64_t                      lazyfree_lazy_user_del;
    int64_t                      lazyfree_lazy_user_flush;
    int64_t                      lfu_decay_time;
    int64_t                      lfu_log_factor;
    int64_t                      list_compress_depth;
    int64_t                      list_max_listpack_size;
    int64_t                      loglevel;
    int64_t                      maxmemory_clients;
    int64_t                      maxmemory_eviction_tenacity;
    int64_t                      maxmemory_policy;
    int64_t                      maxmemory_samples;
    int64_t                      min_replicas_max_lag;
    int64_t                      no_appendfsync_on_rewrite;
    int64_t                      notify_keyspace_events;
    int64_t                      port;
    int64_t                      propagation_error_behavior;
    int64_t                      protected_mode;
    int64_t                      rdb_del_sync_files;
    int64_t                      rdb_key_save_delay;
    int64_t                      rdb_save_incremental_fsync;
    int64_t                      rdbchecksum;
    int64_t                      rdbcompression;
    int64_t                      repl_backlog_size;
    int64_t                      repl_backlog_ttl;
    int64_t                      repl_disable_tcp_nodelay;
    int64_t                      repl_diskless_load;
    int64_t                      repl_diskless_sync;
    int64_t                      repl_diskless_sync_delay;
    int64_t                      repl_diskless_sync_max_replicas;
    int64_t                      repl_ping_replica_period;
    int64_t                      repl_timeout;
    int64_t                      replica_announce_port;
    int64_t                      replica_announced;
    int64_t                      replica_ignore_disk_write_errors;
    int64_t                      replica_ignore_maxmemory;
    int64_t                      replica_lazy_flush;
    int64_t                      replica_priority;
    int64_t                      replica_read_only;
    int64_t                      replica_serve_stale_data;
    int64_t                      replicaof;
    int64_t                      sanitize_dump_payload;
    int64_t                      set_max_intset_entries;
    int64_t                      set_max_listpack_entries;
    int64_t                      set_max_listpack_value;
    int64_t                      shutdown_timeout;
    int64_t                      stop_writes_on_bgsave_error;
    int64_t                      stream_node_max_bytes;
    int64_t                      stream_node_max_entries;
    int64_t                      supervised;
    int64_t                      syslog_enabled;
    int64_t                      syslog_facility;
    int64_t                      tcp_backlog;
    int64_t                      tls_auth_clients;
    int64_t                      tls_port;
    int64_t                      tracking_table_max_keys;
    int64_t                      unixsocketperm;
    int64_t                      workers;
    int64_t                      zset_max_listpack_entries;
    int64_t                      zset_max_listpack_value;
    ngx_olivine_save_t           save;
    int64_t                      slowlog_log_slower_than;
    int64_t                      slowlog_max_len;
    int64_t                      commandlog_request_larger_than;
    int64_t                      commandlog_large_request_max_len;
    int64_t                      commandlog_reply_larger_than;
    int64_t                      commandlog_large_reply_max_len;
    int64_t                      latency_monitor_threshold;
    int64_t                      latency_tracking;
    ngx_olivine_percentiles_t    percentiles;

    ngx_olivine_param_name_t     appenddirname;
    ngx_olivine_param_name_t     appendfilename;
    ngx_olivine_param_path_t     bind;
    ngx_olivine_param_path_t     config_file;
    ngx_olivine_param_name_t     dbfilename;
    ngx_olivine_param_path_t     dir;
    ngx_olivine_param_name_t     http;
    ngx_olivine_param_path_t     http_allow;
    ngx_olivine_param_path_t     logfile;
    ngx_olivine_param_secret_t   masterauth;
    ngx_olivine_param_name_t     masteruser;
    ngx_olivine_param_path_t     pidfile;
    ngx_olivine_param_name_t     replica_announce_ip;
    ngx_olivine_param_name_t     syslog_ident;
    ngx_olivine_param_path_t     tls_ca_cert_file;
    ngx_olivine_param_path_t     tls_cert_file;
    ngx_olivine_param_path_t     tls_ciphers;
    ngx_olivine_param_path_t     tls_key_file;
    ngx_olivine_param_name_t     tls_protocols;
    ngx_olivine_param_name_t     unixsocket;
};


typedef struct ngx_olivine_param_s  ngx_olivine_param_t;


/* a type of parameter; "set" is given the field and an error buffer */
typedef struct {
    ngx_int_t    (*set)(const ngx_olivine_param_t *row, void *field,
                      ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
    u_char      *(*print)(const ngx_olivine_param_t *row, const void *field,
                      u_char *buf, u_char *last);
    const char    *name;
} ngx_olivine_param_type_t;


struct ngx_olivine_param_s {
    ngx_str_t                        name;
    const ngx_olivine_param_type_t  *type;
    const char                      *value;
    ngx_uint_t                       flags;
    size_t                           offset;
    size_t                           size;
    struct {
        int64_t                      min;
        int64_t                      max;
    } range;
    const char                      *help;

    /* of an enumeration, ended by NULL; a value is its index */
    const char *const               *words;
};


/*
 * A name that is not a row's: another name of a row, or, with no row, one that
 * redis.conf has and Olivine no use for.  With refuse, any value but "" and
 * "no" asks for what is not there.
 */
typedef struct {
    ngx_str_t                        name;
    const char                      *row;
    const char                      *refuse;
} ngx_olivine_param_name_row_t;


/* the rows, in order of name; a row without a name ends them */
extern const ngx_olivine_param_t  ngx_olivine_params[];
extern const ngx_olivine_param_name_row_t  ngx_olivine_param_names[];


void ngx_olivine_params_defaults(ngx_olivine_params_t *params);

/* the row of that name, or of which it is another name, in any case */
const ngx_olivine_param_t *ngx_olivine_params_find(u_char *name, size_t len);

/* a name that is not a row's, or NULL */
const ngx_olivine_param_name_row_t *ngx_olivine_params_other(u_char *name,
    size_t len);

/* 1 if such a name is to be refused with this value */
ngx_uint_t ngx_olivine_params_refused(
    const ngx_olivine_param_name_row_t *other, ngx_str_t *values,
    ngx_uint_t n);

/* the name most like it, or NULL if none is */
ngx_str_t *ngx_olivine_params_nearest(u_char *name, size_t len);

/* letters to change, to add, to drop, or to swap with the next */
ngx_uint_t ngx_olivine_params_distance(ngx_str_t *a, ngx_str_t *b);

/*
 * Sets one row from the words given: one, but for rows with the flag WORDS.
 * Flags are the caller's to check.  OK, or DECLINED with Redis's reason in
 * err, whose data is room for NGX_OLIVINE_PARAM_ERROR bytes; params is then
 * as before.
 */
ngx_int_t ngx_olivine_params_set(ngx_olivine_params_t *params,
    const ngx_olivine_param_t *row, ngx_str_t *values, ngx_uint_t n,
    ngx_str_t *err);

/* the same for a row that may be repeated: given, it is so a second time */
ngx_int_t ngx_olivine_params_add(ngx_olivine_params_t *params,
    const ngx_olivine_param_t *row, ngx_str_t *values, ngx_uint_t n,
    ngx_uint_t given, ngx_str_t *err);

/* prints as CONFIG GET does, never beyond last; returns the end */
u_char *ngx_olivine_params_print(const ngx_olivine_params_t *params,
    const ngx_olivine_param_t *row, u_char *buf, u_char *last);

/*
 * The n-th line that a file has of this row, without a line feed; NULL if
 * there are fewer.  Room of NGX_OLIVINE_PARAM_LINE suffices.
 */
u_char *ngx_olivine_params_line(const ngx_olivine_params_t *params,
    const ngx_olivine_param_t *row, ngx_uint_t n, u_char *buf, u_char *last);

void ngx_olivine_params_copy(ngx_olivine_params_t *to,
    const ngx_olivine_params_t *from, const ngx_olivine_param_t *row);

/* 1 if both hold the same value */
ngx_uint_t ngx_olivine_params_equal(const ngx_olivine_params_t *a,
    const ngx_olivine_params_t *b, const ngx_olivine_param_t *row);


#endif /* _NGX_OLIVINE_PARAMS_H_INCLUDED_ */
