
/*
 * Copyright (C) The Olivine authors
 *
 * Forward typedefs, result codes and limits; nothing else.
 *
 * Result codes, everywhere:
 *   NGX_OK        done
 *   NGX_DECLINED  a well-formed "no": an absent key, a lost NX
 *   NGX_AGAIN     needs bytes, pages, room, credit, or is parked: run again
 *   NGX_ERROR     no memory or failed I/O
 *   NGX_ABORT     the peer broke the protocol
 */


#ifndef _NGX_OLIVINE_H_INCLUDED_
#define _NGX_OLIVINE_H_INCLUDED_


#define NGX_OLIVINE_VERSION         "0.1.0"

/* the release of Redis whose behaviour is followed */
#define NGX_OLIVINE_REDIS_VERSION   "8.0.5"

#define NGX_OLIVINE_MAX_SHARDS      64
#define NGX_OLIVINE_MAX_SLOTS       256
#define NGX_OLIVINE_MAX_DATABASES   16384

/* a command's arguments, as in Redis */
#define NGX_OLIVINE_MAX_ARGS        (1024 * 1024)
#define NGX_OLIVINE_MAX_INLINE      (64 * 1024)

/* keys and values; proto-max-bulk-len is its default, and may be lower */
#define NGX_OLIVINE_MAX_STRING      (512 * 1024 * 1024)

/* commands taken from one input buffer before they are run */
#define NGX_OLIVINE_BATCH           64


typedef struct ngx_olivine_zone_s    ngx_olivine_zone_t;
typedef struct ngx_olivine_slot_s    ngx_olivine_slot_t;
typedef struct ngx_olivine_tx_s      ngx_olivine_tx_t;
typedef struct ngx_olivine_ring_s    ngx_olivine_ring_t;
typedef struct ngx_olivine_payload_s ngx_olivine_payload_t;
typedef struct ngx_olivine_arena_s   ngx_olivine_arena_t;
typedef struct ngx_olivine_shard_s   ngx_olivine_shard_t;
typedef struct ngx_olivine_table_s   ngx_olivine_table_t;
typedef struct ngx_olivine_image_s   ngx_olivine_image_t;
typedef struct ngx_olivine_entry_s   ngx_olivine_entry_t;
typedef struct ngx_olivine_watch_s   ngx_olivine_watch_t;
typedef struct ngx_olivine_watches_s ngx_olivine_watches_t;
typedef struct ngx_olivine_params_s  ngx_olivine_params_t;
typedef struct ngx_olivine_reply_s   ngx_olivine_reply_t;
typedef struct ngx_olivine_command_s ngx_olivine_command_t;
typedef struct ngx_olivine_cx_s      ngx_olivine_cx_t;
typedef struct ngx_olivine_multi_s   ngx_olivine_multi_t;
typedef struct ngx_olivine_rules_s   ngx_olivine_rules_t;
typedef struct ngx_olivine_client_s  ngx_olivine_client_t;


#endif /* _NGX_OLIVINE_H_INCLUDED_ */
