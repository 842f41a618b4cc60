
/*
 * Copyright (C) The Olivine authors
 *
 * Writes docs/commands.md, docs/parameters.md and docs/metrics.md from the
 * tables.
 */

/* layer: http */


#include "base/ngx_olivine_params.h"
#include "command/ngx_olivine_command_docs.h"
#include "http/ngx_olivine_metrics.h"


/* columns of what is not markdown */
#define DOCS_WIDTH  76


typedef struct {
    const char  *name;
    const char  *title;
} docs_group_t;


/* in the order of the page; one that is not here would be left out */
static const docs_group_t  docs_groups[] = {
    { "string",       "Strings" },
    { "generic",      "Keys" },
    { "transactions", "Transactions" },
    { "connection",   "Connections" },
    { "server",       "Server" },
    { NULL, NULL }
};


static int
docs_append(char *out, size_t size, int n, const char *fmt, ...)
{
    va_list  args;

    if ((size_t) n >= size) {
        fprintf(stderr, "docs: a line is too long\n");
        exit(1);
    }

    va_start(args, fmt);
    n += vsnprintf(out + n, size - n, fmt, args);
    va_end(args);

    return n;
}


/* a paragraph, broken at blanks */

static void
docs_print(const char *text, const char *first, const char *next)
{
    size_t       len, column;
    const char  *p, *end;

    column = printf("%s", first);

    for (p = text; *p; p = end + (*end == ' ')) {

        end = strchr(p, ' ');
        if (end == NULL) {
            end = p + strlen(p);
        }

        len = end - p;

        if (p != text) {
            if (column + 1 + len > DOCS_WIDTH) {
                column = printf("\n%s", next) - 1;

            } else {
                column += printf(" ");
            }
        }

        column += printf("%.*s", (int) len, p);
    }

    printf("\n");
}


static void
docs_notes(const ngx_olivine_command_t *row, const ngx_olivine_docs_t *docs)
{
    int        n;
    char       text[4096];
    ngx_str_t  history, since, what;

    n = docs_append(text, sizeof(text), 0, "%c%s. Since Redis %s.",
                    ngx_toupper(row->summary[0]), row->summary + 1,
                    row->since);

    if (docs->complexity) {
        n = docs_append(text, sizeof(text), n, " Time: %s.",
                        docs->complexity);
    }

    if (docs->instead) {
        history.data = (u_char *) docs->instead;
        history.len = strlen(docs->instead);
        ngx_olivine_docs_history(&history, &since, &what);

        docs_append(text, sizeof(text), n,
                    " Deprecated since %.*s; use %.*s.",
                    (int) since.len, since.data, (int) what.len, what.data);
    }

    docs_print(text, "", "");

    if (docs->history == NULL) {
        return;
    }

    printf("\n");

    history.data = (u_char *) docs->history;
    history.len = strlen(docs->history);

    while (ngx_olivine_docs_history(&history, &since, &what) == NGX_OK) {
        docs_append(text, sizeof(text), 0, "%.*s: %.*s", (int) since.len,
                    since.data, (int) what.len, what.data);
        docs_print(text, "- ", "  ");
    }
}


static void
docs_command(const ngx_olivine_command_t *row)
{
    int                           n, len;
    char                          text[4096], name[NGX_OLIVINE_COMMAND_NAME];
    ngx_str_t                     notation;
    ngx_uint_t                    i;
    const ngx_olivine_docs_t     *docs;
    const ngx_olivine_command_t  *sub;

    docs = ngx_olivine_docs_find(&row->name);

    if (docs == NULL) {
        fprintf(stderr, "docs: nothing is written of \"%s\"\n",
                row->name.data);
        exit(1);
    }

    len = row->name.len;

    for (i = 0; i < row->name.len; i++) {
        name[i] = row->name.data[i] == '|' ? ' '
                                           : ngx_toupper(row->name.data[i]);
    }

    if (row->handler) {
        printf("\n### %.*s\n\n", len, name);

        n = docs_append(text, sizeof(text), 0, "%.*s", len, name);

        if (docs->args) {
            notation.data = (u_char *) docs->args;
            notation.len = strlen(docs->args);

            text[n++] = ' ';
            *ngx_olivine_docs_syntax((u_char *) text + n,
                                     (u_char *) text + sizeof(text) - 1,
                                     &notation) = '\0';
        }

        docs_print(text, "    ", "        ");
        printf("\n");
        docs_notes(row, docs);
    }

    for (sub = row->subcommands; sub && sub->name.len; sub++) {
        docs_command(sub);
    }
}


static ngx_uint_t
docs_in_group(const ngx_olivine_command_t *row, const char *group)
{
    const ngx_olivine_docs_t  *docs;

    docs = ngx_olivine_docs_find(&row->name);

    return docs && strcmp(docs->group, group) == 0;
}


static void
docs_commands(void)
{
    ngx_uint_t                    rows, printed;
    const docs_group_t           *group;
    const ngx_olivine_command_t  *row;

    printf("<!-- made by make docs from the table of commands -->\n\n"
           "# Commands\n\n"
           "All that this server knows. Words in capitals are written as "
           "they are, others\nare arguments; `[x]` may be left out, "
           "`a | b` is one of both, `x [x ...]` is\none or more. Replies and "
           "errors are those of Redis. Versions are those of\nRedis that had "
           "it first.\n");

    rows = 0;
    printed = 0;

    for (row = ngx_olivine_commands; row->name.len; row++) {
        rows++;
    }

    for (group = docs_groups; group->name; group++) {

        printf("\n\n## %s\n", group->title);

        for (row = ngx_olivine_commands; row->name.len; row++) {
            if (docs_in_group(row, group->name)) {
                docs_command(row);
                printed++;
            }
        }
    }

    if (printed != rows) {
        fprintf(stderr, "docs: a command lacks docs, or its group a title\n");
        exit(1);
    }
}


/* a text in a cell of a table */

static void
docs_cell(const char *text)
{
    for ( /* void */ ; *text; text++) {
        printf(*text == '|' ? "\\|" : "%c", *text);
    }
}


static void
docs_range(const ngx_olivine_param_t *row)
{
    int64_t             min, max;
    const char *const  *word;

    min = row->range.min;
    max = row->range.max;

    if (row->words) {
        for (word = row->words; *word; word++) {
            printf("%s`%s`", word == row->words ? "" : ", ", *word);
        }

        return;
    }

    printf("%s", row->type->name);

    if (min == 0 && max == 0) {
        return;
    }

    if (max == INT64_MAX) {
        printf(", at least %lld", (long long) min);

    } else {
        printf(", %lld to %lld", (long long) min, (long long) max);
    }
}


/* Those of the kind whose flags under the mask are such. */

static void
docs_rows(ngx_uint_t mask, ngx_uint_t flags)
{
    const ngx_olivine_param_t  *row;

    printf("| parameter | default | | values | meaning |\n"
           "|---|---|---|---|---|\n");

    for (row = ngx_olivine_params; row->name.len; row++) {

        if ((row->flags & mask) != flags) {
            continue;
        }

        printf("| `%s` | ", row->name.data);

        if (row->value[0]) {
            printf("`");
            docs_cell(row->value);
            printf("`");
        }

        printf(" | %s | ",
               row->flags & NGX_OLIVINE_PARAM_FIXED ? "fixed"
               : row->flags & NGX_OLIVINE_PARAM_PROTECTED ? "protected"
               : row->flags & NGX_OLIVINE_PARAM_LIVE ? "live"
               : row->flags & NGX_OLIVINE_PARAM_HOST ? "start" : "file");

        docs_range(row);
        printf(" | ");
        docs_cell(row->help);
        printf(" |\n");
    }
}


static void
docs_names(void)
{
    const ngx_olivine_param_name_row_t  *other;

    printf("\n## Other names\n\n"
           "| name | is |\n|---|---|\n");

    for (other = ngx_olivine_param_names; other->row; other++) {
        printf("| `%s` | `%s` |\n", other->name.data, other->row);
    }

    printf("\nFiles may also have these, which have nothing to act on here; "
           "the log names them:\n\n");

    for ( /* void */ ; other->name.len && !other->refuse; other++) {
        printf("`%s`%s\n", other->name.data,
               other[1].name.len && !other[1].refuse ? "," : ".");
    }

    printf("\nThese are refused, unless the value is `no` or empty:\n\n"
           "| name | why |\n|---|---|\n");

    for ( /* void */ ; other->name.len; other++) {
        printf("| `%s` | %s |\n", other->name.data, other->refuse);
    }
}


static void
docs_parameters(void)
{
    ngx_uint_t  kinds;

    kinds = NGX_OLIVINE_PARAM_HOST|NGX_OLIVINE_PARAM_IDLE
            |NGX_OLIVINE_PARAM_HIDDEN;

    printf("<!-- made by make docs from the table of parameters -->\n\n"
           "# Parameters\n\n"
           "The same in four places: a `redis.conf`, flags of `olivine` "
           "(`--name value`),\nthe block of `olivine_zone`, and `CONFIG`.\n\n");

    docs_rows(kinds, 0);

    printf("\n*live*: `CONFIG SET` changes it; *protected*: if "
           "`enable-protected-configs` allows\nit; *file*: a reload does; "
           "*fixed*, *start*: a restart does.\n\n"
           "Memory sizes are numbers of bytes, or end in `k`, `m`, `g` "
           "(1000-based), `kb`,\n`mb`, `gb` (1024-based), as in "
           "`redis.conf`; the `SIZE` of a zone is written\nnginx's way, "
           "where `m` is 1024-based.\n"
           "\n## What the standalone does itself\n\n"
           "It turns these into directives of nginx.  In the block of "
           "another nginx they are\nonly shown.\n\n");

    docs_rows(kinds, NGX_OLIVINE_PARAM_HOST);

    printf("\n## Without use in this version\n\n"
           "They are checked, kept, shown and rewritten; nothing else comes "
           "of them yet, and\nthe log names those that a configuration "
           "gives.\n\n");

    docs_rows(kinds, NGX_OLIVINE_PARAM_IDLE);
    docs_names();
}


/* Those that begin so. */

static void
docs_metrics_of(const char *prefix)
{
    const ngx_olivine_metric_t  *row;

    printf("| metric | type | labels | INFO | meaning |\n"
           "|---|---|---|---|---|\n");

    for (row = ngx_olivine_metrics_table; row->name; row++) {

        if (strncmp(row->name, prefix, strlen(prefix)) != 0) {
            continue;
        }

        printf("| `%s` | %s | %s | ", row->name, row->type, row->labels);

        if (row->where[0]) {
            printf("`%s`", row->where);
        }

        printf(" | ");
        docs_cell(row->help);
        printf(" |\n");
    }
}


static void
docs_metrics(void)
{
    ngx_uint_t  i;

    printf("<!-- made by make docs from the table of metrics -->\n\n"
           "# Metrics\n\n"
           "What `olivine_metrics` answers, in Prometheus's text format. "
           "`INFO` says under\nwhich field, or in which section, INFO has "
           "the same. All are sums over the\nworkers, whichever of them "
           "answers; counters begin anew with a new store, and\nmost with "
           "`CONFIG RESETSTAT`. The CPU time of all workers falls when one "
           "of them ends:\nfor rates take that of each.\n\n"
           "[grafana-dashboard.json](grafana-dashboard.json) shows them "
           "(Dashboards, New,\nImport), "
           "[prometheus-rules.yml](prometheus-rules.yml) has alerts:\n\n"
           "```yaml\n"
           "rule_files: [prometheus-rules.yml]\n"
           "scrape_configs:\n"
           "  - job_name: olivine\n"
           "    static_configs:\n"
           "      - targets: ['127.0.0.1:6060']\n"
           "```\n\n"
           "## Names of redis_exporter\n\n"
           "They mean what they mean there, so dashboards made for it show "
           "them. What this\nserver does not have (eviction, replicas, "
           "scripts, a cluster) is left out, and\ndurations that are in "
           "seconds are called so.\n\n");

    docs_metrics_of("redis_");

    printf("\n## Own names\n\n"
           "A worker is named by its slot in the store and by its pid, a "
           "shard by its\nnumber. Shards are read without their locks: "
           "what is written meanwhile is told\na little too high or too "
           "low. `use` of `olivine_memory_bytes` is one of");

    for (i = 0; i < NGX_OLIVINE_MEMORY_USES; i++) {
        printf("%s`%s`", i == 0 ? "\n" : i == 6 ? ",\n" : ", ",
               ngx_olivine_memory_names[i]);
    }

    printf(";\nall but the last are in the zone, `gaps` and `free` are not "
           "counted as used.\n\n");

    docs_metrics_of("olivine_");
}


int
main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "commands") == 0) {
        docs_commands();

    } else if (argc == 2 && strcmp(argv[1], "parameters") == 0) {
        docs_parameters();

    } else if (argc == 2 && strcmp(argv[1], "metrics") == 0) {
        docs_metrics();

    } else {
        fprintf(stderr, "usage: docs commands|parameters|metrics\n");
        return 2;
    }

    return 0;
}
