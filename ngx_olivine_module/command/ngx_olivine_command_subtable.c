
/*
 * Copyright (C) The Olivine authors
 *
 * The subcommands of those commands that have some; rows as in the table of
 * commands.
 */


#include "command/ngx_olivine_cmd.h"


const ngx_olivine_command_t  ngx_olivine_client_rows[] = {

    { ngx_string("client|id"), ngx_olivine_cmd_client_id, 2,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "5.0.0", "returns the number of the connection", NULL },

    { ngx_string("client|getname"), ngx_olivine_cmd_client_getname, 2,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "2.6.9", "returns the name of the connection", NULL },

    { ngx_string("client|setname"), ngx_olivine_cmd_client_setname, 3,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_nodes response_policy:all_succeeded",
      "2.6.9", "names the connection", NULL },

    { ngx_string("client|setinfo"), ngx_olivine_cmd_client_setinfo, 4,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_nodes response_policy:all_succeeded",
      "7.2.0", "tells the library of the client, or its version", NULL },

    { ngx_string("client|info"), ngx_olivine_cmd_client_info, 2,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output",
      "6.2.0", "returns what is known of the connection", NULL },

    { ngx_string("client|list"), ngx_olivine_cmd_client_list, -2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT
      |NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS
      |NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output",
      "2.4.0", "returns what is known of connections", NULL },

    { ngx_string("client|kill"), ngx_olivine_cmd_client_kill, -3,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT
      |NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS
      |NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "2.4.0", "closes connections", NULL },

    { ngx_string("client|pause"), ngx_olivine_cmd_client_pause, -3,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT
      |NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS
      |NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "3.0.0", "holds commands of all connections back for a time", NULL },

    { ngx_string("client|unpause"), ngx_olivine_cmd_client_unpause, 2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT
      |NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS
      |NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "6.2.0", "lets commands go on that were held back", NULL },

    { ngx_string("client|reply"), ngx_olivine_cmd_client_reply, 3,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "3.2.0", "tells whether the connection wants replies", NULL },

    { ngx_string("client|no-evict"), ngx_olivine_cmd_client_no_evict, 3,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT
      |NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS
      |NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "7.0.0", "keeps the connection when memory for clients lacks", NULL },

    { ngx_string("client|no-touch"), ngx_olivine_cmd_client_no_touch, 3,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "7.2.0", "tells whether the commands of the connection count as accesses",
      NULL },

    { ngx_string("client|getredir"), ngx_olivine_cmd_client_getredir, 2,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "6.0.0", "returns the connection that gets messages about tracked keys",
      NULL },

    { ngx_string("client|trackinginfo"), ngx_olivine_cmd_client_trackinginfo, 2,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "6.2.0", "returns whether the connection tracks keys", NULL },

    { ngx_string("client|unblock"), ngx_olivine_cmd_client_unblock, -3,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT
      |NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS
      |NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "5.0.0", "ends the waiting of a connection", NULL },

    { ngx_string("client|help"), ngx_olivine_cmd_help, 2,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "5.0.0", "prints this help", NULL },

    { ngx_null_string, NULL, 0, 0, 0, { 0, 0, 0, 0, NULL }, NULL, NULL, NULL,
      NULL }
};


const ngx_olivine_command_t  ngx_olivine_command_rows[] = {

    { ngx_string("command|count"), ngx_olivine_cmd_command_count, 2,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "2.8.13", "returns the number of commands", NULL },

    { ngx_string("command|info"), ngx_olivine_cmd_command_info, -2,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output_order",
      "2.8.13", "returns what is known of the commands named", NULL },

    { ngx_string("command|docs"), ngx_olivine_cmd_command_docs, -2,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output_order",
      "7.0.0", "returns what is written of the commands named",
      NULL },

    { ngx_string("command|getkeys"), ngx_olivine_cmd_command_getkeys, -3,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "2.8.13", "returns the keys among the arguments of a command", NULL },

    { ngx_string("command|getkeysandflags"), ngx_olivine_cmd_command_getkeysandflags, -3,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "7.0.0", "returns the keys of a command, and what becomes of them",
      NULL },

    { ngx_string("command|list"), ngx_olivine_cmd_command_list, -2,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output_order",
      "7.0.0", "returns the names of commands", NULL },

    { ngx_string("command|help"), ngx_olivine_cmd_help, 2,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "5.0.0", "prints this help", NULL },

    { ngx_null_string, NULL, 0, 0, 0, { 0, 0, 0, 0, NULL }, NULL, NULL, NULL,
      NULL }
};


const ngx_olivine_command_t  ngx_olivine_config_rows[] = {

    { ngx_string("config|get"), ngx_olivine_cmd_config_get, -3,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING
      |NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      NULL,
      "2.0.0", "returns parameters that match patterns", NULL },

    { ngx_string("config|set"), ngx_olivine_cmd_config_set, -4,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING
      |NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_nodes response_policy:all_succeeded",
      "2.0.0", "changes parameters, all or none", NULL },

    { ngx_string("config|rewrite"), ngx_olivine_cmd_config_rewrite, 2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING
      |NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_nodes response_policy:all_succeeded",
      "2.8.0", "writes the running parameters to the file it began with",
      NULL },

    { ngx_string("config|resetstat"), ngx_olivine_cmd_config_resetstat, 2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING
      |NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_nodes response_policy:all_succeeded",
      "2.0.0", "forgets what was counted", NULL },

    { ngx_string("config|help"), ngx_olivine_cmd_help, 2,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      NULL,
      "5.0.0", "prints this help", NULL },

    { ngx_null_string, NULL, 0, 0, 0, { 0, 0, 0, 0, NULL }, NULL, NULL, NULL,
      NULL }
};


const ngx_olivine_command_t  ngx_olivine_object_rows[] = {

    { ngx_string("object|encoding"), ngx_olivine_cmd_object_encoding, 3,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_NO_TOUCH,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_SLOW,
      { 2, 2, 1, NGX_OLIVINE_KEY_RO, NULL },
      "nondeterministic_output",
      "2.2.3", "returns how the value of a key is kept",
      NULL },

    { ngx_string("object|freq"), ngx_olivine_cmd_object_freq, 3,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_NO_TOUCH,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_SLOW,
      { 2, 2, 1, NGX_OLIVINE_KEY_RO, NULL },
      "nondeterministic_output",
      "4.0.0", "returns how often a key is used, by the counter of LFU policies",
      NULL },

    { ngx_string("object|idletime"), ngx_olivine_cmd_object_idletime, 3,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_NO_TOUCH,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_SLOW,
      { 2, 2, 1, NGX_OLIVINE_KEY_RO, NULL },
      "nondeterministic_output",
      "2.2.3", "returns the seconds since a key was used",
      NULL },

    { ngx_string("object|refcount"), ngx_olivine_cmd_object_refcount, 3,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_NO_TOUCH,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_SLOW,
      { 2, 2, 1, NGX_OLIVINE_KEY_RO, NULL },
      "nondeterministic_output",
      "2.2.3", "returns how many refer to the value of a key",
      NULL },

    { ngx_string("object|help"), ngx_olivine_cmd_help, 2,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      NULL,
      "6.2.0", "prints this help", NULL },

    { ngx_null_string, NULL, 0, 0, 0, { 0, 0, 0, 0, NULL }, NULL, NULL,
      NULL, NULL }
};


const ngx_olivine_command_t  ngx_olivine_slowlog_rows[] = {

    { ngx_string("slowlog|get"), ngx_olivine_cmd_slowlog_get, -2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_nodes nondeterministic_output",
      "2.2.12", "returns entries of the slow log", NULL },

    { ngx_string("slowlog|len"), ngx_olivine_cmd_slowlog_len, 2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_nodes response_policy:agg_sum "
      "nondeterministic_output",
      "2.2.12", "returns the number of entries of the slow log", NULL },

    { ngx_string("slowlog|reset"), ngx_olivine_cmd_slowlog_reset, 2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_nodes response_policy:all_succeeded",
      "2.2.12", "clears the slow log", NULL },

    { ngx_string("slowlog|help"), ngx_olivine_cmd_help, 2,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      NULL,
      "6.2.0", "prints this help", NULL },

    { ngx_null_string, NULL, 0, 0, 0, { 0, 0, 0, 0, NULL }, NULL, NULL, NULL,
      NULL }
};


const ngx_olivine_command_t  ngx_olivine_commandlog_rows[] = {

    { ngx_string("commandlog|get"), ngx_olivine_cmd_commandlog_get, 4,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_nodes nondeterministic_output",
      "8.1.0", "returns entries of a log of commands; "
      "since Valkey 8.1", NULL },

    { ngx_string("commandlog|len"), ngx_olivine_cmd_commandlog_len, 3,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_nodes response_policy:agg_sum "
      "nondeterministic_output",
      "8.1.0", "returns the number of entries of a log of commands; "
      "since Valkey 8.1", NULL },

    { ngx_string("commandlog|reset"), ngx_olivine_cmd_commandlog_reset, 3,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_nodes response_policy:all_succeeded",
      "8.1.0", "clears a log of commands; "
      "since Valkey 8.1", NULL },

    { ngx_string("commandlog|help"), ngx_olivine_cmd_help, 2,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      NULL,
      "8.1.0", "prints this help", NULL },

    { ngx_null_string, NULL, 0, 0, 0, { 0, 0, 0, 0, NULL }, NULL, NULL, NULL,
      NULL }
};


const ngx_olivine_command_t  ngx_olivine_hotkeys_rows[] = {

    { ngx_string("hotkeys|start"), ngx_olivine_cmd_hotkeys_start, -2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      NULL,
      "8.6.0", "begins to note which keys are hot", NULL },

    { ngx_string("hotkeys|stop"), ngx_olivine_cmd_hotkeys_stop, 2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      NULL,
      "8.6.0", "ends that, and keeps what was noted", NULL },

    { ngx_string("hotkeys|get"), ngx_olivine_cmd_hotkeys_get, 2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      NULL,
      "8.6.0", "returns the keys that are hot", NULL },

    { ngx_string("hotkeys|reset"), ngx_olivine_cmd_hotkeys_reset, 2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      NULL,
      "8.6.0", "forgets which keys were hot", NULL },

    { ngx_string("hotkeys|help"), ngx_olivine_cmd_help, 2,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      NULL,
      "8.6.0", "prints this help", NULL },

    { ngx_null_string, NULL, 0, 0, 0, { 0, 0, 0, 0, NULL }, NULL, NULL, NULL,
      NULL }
};


const ngx_olivine_command_t  ngx_olivine_latency_rows[] = {

    { ngx_string("latency|doctor"), ngx_olivine_cmd_latency_doctor, 2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING
      |NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output request_policy:all_nodes "
      "response_policy:special",
      "2.8.13", "says what makes commands slow", NULL },

    { ngx_string("latency|graph"), ngx_olivine_cmd_latency_graph, 3,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING
      |NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output request_policy:all_nodes "
      "response_policy:special",
      "2.8.13", "draws the samples of an event", NULL },

    { ngx_string("latency|histogram"), ngx_olivine_cmd_latency_histogram, -2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING
      |NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output request_policy:all_nodes "
      "response_policy:special",
      "7.0.0", "returns how long commands took, as histograms", NULL },

    { ngx_string("latency|history"), ngx_olivine_cmd_latency_history, 3,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING
      |NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output request_policy:all_nodes "
      "response_policy:special",
      "2.8.13", "returns the samples of an event", NULL },

    { ngx_string("latency|latest"), ngx_olivine_cmd_latency_latest, 2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING
      |NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output request_policy:all_nodes "
      "response_policy:special",
      "2.8.13", "returns the last sample of each event", NULL },

    { ngx_string("latency|reset"), ngx_olivine_cmd_latency_reset, -2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING
      |NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_nodes response_policy:agg_sum",
      "2.8.13", "forgets the samples of events, or of all", NULL },

    { ngx_string("latency|help"), ngx_olivine_cmd_help, 2,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      NULL,
      "2.8.13", "prints this help", NULL },

    { ngx_null_string, NULL, 0, 0, 0, { 0, 0, 0, 0, NULL }, NULL, NULL, NULL,
      NULL }
};


const ngx_olivine_command_t  ngx_olivine_memory_rows[] = {

    { ngx_string("memory|doctor"), ngx_olivine_cmd_memory_doctor, 2,
      0,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output request_policy:all_shards "
      "response_policy:special",
      "4.0.0", "says what is remarkable about memory", NULL },

    { ngx_string("memory|malloc-stats"),
      ngx_olivine_cmd_memory_malloc_stats, 2,
      0,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output request_policy:all_shards "
      "response_policy:special",
      "4.0.0", "prints what the allocator knows", NULL },

    { ngx_string("memory|purge"), ngx_olivine_cmd_memory_purge, 2,
      0,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_shards response_policy:all_succeeded",
      "4.0.0", "returns free memory to the system", NULL },

    { ngx_string("memory|stats"), ngx_olivine_cmd_memory_stats, 2,
      0,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output request_policy:all_shards "
      "response_policy:special",
      "4.0.0", "returns what memory is used for", NULL },

    { ngx_string("memory|usage"), ngx_olivine_cmd_memory_usage, -3,
      NGX_OLIVINE_CMD_READONLY,
      NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_SLOW,
      { 2, 2, 1, NGX_OLIVINE_KEY_RO, NULL },
      NULL,
      "4.0.0", "returns the bytes that a key takes", NULL },

    { ngx_string("memory|help"), ngx_olivine_cmd_help, 2,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      NULL,
      "4.0.0", "prints this help", NULL },

    { ngx_null_string, NULL, 0, 0, 0, { 0, 0, 0, 0, NULL }, NULL, NULL, NULL,
      NULL }
};
