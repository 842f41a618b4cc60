
/*
 * Copyright (C) The Olivine authors
 *
 * The words of a directive are names, categories and patterns; "~" and "~*"
 * make the next word a regular expression.  Commands are looked up here and
 * now, so that what a client is refused costs one look at a bit.
 */


#include "module/ngx_olivine_conf_rules.h"
#include "base/ngx_olivine_glob.h"
#include "command/ngx_olivine_command.h"


#if (NGX_PCRE)
typedef ngx_regex_t  ngx_olivine_conf_regex_t;
#else
typedef void         ngx_olivine_conf_regex_t;
#endif


/* a pattern of keys */
typedef struct {
    ngx_str_t                   text;
    size_t                      prefix;    /* what it begins with */
    unsigned                    rest:1;    /* whatever follows the prefix */
    ngx_olivine_conf_regex_t   *regex;     /* or this */
} ngx_olivine_conf_key_t;


static ngx_int_t ngx_olivine_conf_commands_word(ngx_conf_t *cf,
    uint64_t *set, ngx_str_t *word);
static ngx_int_t ngx_olivine_conf_commands_regex(ngx_conf_t *cf,
    uint64_t *set, ngx_str_t *mark, ngx_str_t *pattern);
static ngx_int_t ngx_olivine_conf_unknown_command(ngx_conf_t *cf,
    ngx_str_t *word);
static ngx_uint_t ngx_olivine_conf_rules_match(
    const ngx_olivine_command_t *command, void *data);
static ngx_uint_t ngx_olivine_conf_off(ngx_conf_t *cf);
static ngx_int_t ngx_olivine_conf_mark(ngx_conf_t *cf, ngx_uint_t i);
static ngx_olivine_conf_regex_t *ngx_olivine_conf_regex(ngx_conf_t *cf,
    ngx_str_t *mark, ngx_str_t *pattern);
static ngx_uint_t ngx_olivine_conf_regex_exec(ngx_olivine_conf_regex_t *regex,
    u_char *data, size_t len);
static ngx_uint_t ngx_olivine_conf_rules_key(void *data, u_char *key,
    size_t len);


char *
ngx_olivine_conf_commands(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char *p = conf;

    size_t       size;
    uint64_t    *set, **sp;
    ngx_int_t    rc;
    ngx_str_t   *value;
    ngx_uint_t   i;

    value = cf->args->elts;
    sp = (uint64_t **) (p + cmd->offset);

    size = ngx_olivine_rules_size() * sizeof(uint64_t);

    if (*sp == NULL) {
        *sp = ngx_pcalloc(cf->pool, size);
        if (*sp == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    set = *sp;

    if (ngx_olivine_conf_off(cf)) {

        /* as if it were not there, and was not inherited */

        if (cmd->offset == offsetof(ngx_olivine_srv_conf_t, allowed)) {
            ngx_memset(set, 0xff, size);
        }

        return NGX_CONF_OK;
    }

    for (i = 1; i < cf->args->nelts; i++) {

        rc = ngx_olivine_conf_mark(cf, i);

        if (rc == NGX_OK) {
            rc = ngx_olivine_conf_commands_regex(cf, set, &value[i],
                                                 &value[i + 1]);
            i++;

        } else if (rc == NGX_DECLINED) {
            rc = ngx_olivine_conf_commands_word(cf, set, &value[i]);
        }

        if (rc != NGX_OK) {
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


char *
ngx_olivine_conf_keys(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_olivine_srv_conf_t *oscf = conf;

    ngx_int_t                rc;
    ngx_str_t               *value;
    ngx_uint_t               i;
    ngx_olivine_conf_key_t  *key;

    value = cf->args->elts;

    if (oscf->keys == NULL) {
        oscf->keys = ngx_array_create(cf->pool, 4,
                                      sizeof(ngx_olivine_conf_key_t));
        if (oscf->keys == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    if (ngx_olivine_conf_off(cf)) {
        return NGX_CONF_OK;
    }

    for (i = 1; i < cf->args->nelts; i++) {

        rc = ngx_olivine_conf_mark(cf, i);

        if (rc == NGX_ERROR) {
            return NGX_CONF_ERROR;
        }

        key = ngx_array_push(oscf->keys);
        if (key == NULL) {
            return NGX_CONF_ERROR;
        }

        ngx_memzero(key, sizeof(ngx_olivine_conf_key_t));

        if (rc == NGX_OK) {
            key->regex = ngx_olivine_conf_regex(cf, &value[i], &value[i + 1]);
            if (key->regex == NULL) {
                return NGX_CONF_ERROR;
            }

            i++;
            continue;
        }

        key->text = value[i];
        key->prefix = ngx_olivine_glob_prefix(&value[i]);
        key->rest = (key->prefix + 1 == value[i].len
                     && value[i].data[key->prefix] == '*');
    }

    return NGX_CONF_OK;
}


ngx_int_t
ngx_olivine_conf_rules_merge(ngx_conf_t *cf, ngx_olivine_srv_conf_t *prev,
    ngx_olivine_srv_conf_t *conf)
{
    ngx_olivine_rules_t  *rules;

    if (conf->allowed == NULL) {
        conf->allowed = prev->allowed;
    }

    if (conf->denied == NULL) {
        conf->denied = prev->denied;
    }

    if (conf->keys == NULL) {
        conf->keys = prev->keys;
    }

    if (conf->allowed == NULL && conf->denied == NULL && conf->keys == NULL) {
        return NGX_OK;
    }

    rules = ngx_pcalloc(cf->pool, sizeof(ngx_olivine_rules_t));
    if (rules == NULL) {
        return NGX_ERROR;
    }

    if (conf->allowed || conf->denied) {
        rules->refused = ngx_palloc(cf->pool,
                                    ngx_olivine_rules_size()
                                    * sizeof(uint64_t));
        if (rules->refused == NULL) {
            return NGX_ERROR;
        }

        ngx_olivine_rules_refuse(rules->refused, conf->allowed, conf->denied);
    }

    if (conf->keys && conf->keys->nelts) {
        rules->key = ngx_olivine_conf_rules_key;
        rules->data = conf->keys;
    }

    conf->rules = rules;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_conf_commands_word(ngx_conf_t *cf, uint64_t *set, ngx_str_t *word)
{
    ngx_int_t  rc;

    if (word->len && word->data[0] == '@') {

        rc = ngx_olivine_rules_add_category(set, word);

        if (rc != NGX_OK) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "unknown category \"%V\" of commands, they are "
                               "those of COMMAND INFO, and \"@all\"", word);
        }

        return rc;
    }

    rc = ngx_olivine_rules_add_name(set, word);

    return (rc == NGX_OK) ? NGX_OK : ngx_olivine_conf_unknown_command(cf, word);
}


/* Always ERROR. */

static ngx_int_t
ngx_olivine_conf_unknown_command(ngx_conf_t *cf, ngx_str_t *word)
{
    ngx_str_t                    *best;
    ngx_uint_t                    distance;
    const ngx_olivine_command_t  *command, *sub;

    best = NULL;
    distance = NGX_OLIVINE_CONF_NEAR;

    for (command = ngx_olivine_commands; command->name.len; command++) {

        best = ngx_olivine_conf_nearer(word, (ngx_str_t *) &command->name,
                                       best, &distance);

        for (sub = command->subcommands; sub && sub->name.len; sub++) {
            best = ngx_olivine_conf_nearer(word, (ngx_str_t *) &sub->name,
                                           best, &distance);
        }
    }

    if (best) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "unknown command \"%V\", did you mean \"%V\"?",
                           word, best);

    } else {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "unknown command \"%V\", it is one of COMMAND "
                           "LIST, such as \"get\" or \"config|get\", a "
                           "category such as \"@read\", or a regular "
                           "expression behind \"~\"", word);
    }

    return NGX_ERROR;
}


static ngx_int_t
ngx_olivine_conf_commands_regex(ngx_conf_t *cf, uint64_t *set,
    ngx_str_t *mark, ngx_str_t *pattern)
{
    ngx_int_t                  rc;
    ngx_olivine_conf_regex_t  *regex;

    regex = ngx_olivine_conf_regex(cf, mark, pattern);
    if (regex == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_olivine_rules_add_matching(set, ngx_olivine_conf_rules_match,
                                        regex);

    if (rc != NGX_OK) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "no command matches \"%V\", their names are in "
                           "lower case", pattern);
    }

    return rc;
}


static ngx_uint_t
ngx_olivine_conf_rules_match(const ngx_olivine_command_t *command, void *data)
{
    return ngx_olivine_conf_regex_exec(data, command->name.data,
                                       command->name.len);
}


static ngx_uint_t
ngx_olivine_conf_off(ngx_conf_t *cf)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    return cf->args->nelts == 2 && ngx_strcmp(value[1].data, "off") == 0;
}


/* OK: word i is "~" or "~*", and another follows; DECLINED: it is not. */

static ngx_int_t
ngx_olivine_conf_mark(ngx_conf_t *cf, ngx_uint_t i)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    if (value[i].len == 0 || value[i].data[0] != '~') {
        return NGX_DECLINED;
    }

    if (ngx_strcmp(value[i].data, "~") != 0
        && ngx_strcmp(value[i].data, "~*") != 0)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" begins with \"~\": a regular expression is "
                           "a word of its own behind \"~\" or \"~*\"",
                           &value[i]);
        return NGX_ERROR;
    }

    if (i + 1 == cf->args->nelts) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "no regular expression behind \"%V\"", &value[i]);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_olivine_conf_regex_t *
ngx_olivine_conf_regex(ngx_conf_t *cf, ngx_str_t *mark, ngx_str_t *pattern)
{
#if (NGX_PCRE)
    u_char               errstr[NGX_MAX_CONF_ERRSTR];
    ngx_regex_compile_t  rc;

    ngx_memzero(&rc, sizeof(ngx_regex_compile_t));

    rc.pattern = *pattern;
    rc.pool = cf->pool;
    rc.options = (mark->len == 2) ? NGX_REGEX_CASELESS : 0;
    rc.err.len = NGX_MAX_CONF_ERRSTR;
    rc.err.data = errstr;

    if (ngx_regex_compile(&rc) != NGX_OK) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "%V", &rc.err);
        return NULL;
    }

    return rc.regex;

#else

    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "using regex \"%V\" requires PCRE library", pattern);
    return NULL;

#endif
}


/* One that gives up (on too much backtracking) does not match. */

static ngx_uint_t
ngx_olivine_conf_regex_exec(ngx_olivine_conf_regex_t *regex, u_char *data,
    size_t len)
{
#if (NGX_PCRE)
    ngx_str_t  text;

    text.len = len;
    text.data = data;

    return ngx_regex_exec(regex, &text, NULL, 0) >= 0;

#else

    return 0;

#endif
}


static ngx_uint_t
ngx_olivine_conf_rules_key(void *data, u_char *key, size_t len)
{
    ngx_array_t *keys = data;

    ngx_uint_t               i;
    ngx_olivine_conf_key_t  *pattern;

    pattern = keys->elts;

    for (i = 0; i < keys->nelts; i++, pattern++) {

        if (pattern->regex) {
            if (ngx_olivine_conf_regex_exec(pattern->regex, key, len)) {
                return 1;
            }

            continue;
        }

        if (len < pattern->prefix
            || ngx_memcmp(key, pattern->text.data, pattern->prefix) != 0)
        {
            continue;
        }

        if (pattern->rest
            || ngx_olivine_glob_match(&pattern->text, key, len, 0))
        {
            return 1;
        }
    }

    return 0;
}
