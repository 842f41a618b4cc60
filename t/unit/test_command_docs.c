
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"
#include "command/ngx_olivine_command_docs.h"


static ngx_str_t
text(const char *s)
{
    ngx_str_t  t;

    t.data = (u_char *) s;
    t.len = s ? strlen(s) : 0;

    return t;
}


static void
assert_text(ngx_str_t t, const char *s)
{
    assert_int_equal(t.len, strlen(s));
    assert_memory_equal(t.data, s, t.len);
}


static void
assert_begins(const char *s, const char *with)
{
    assert_true(strlen(s) >= strlen(with));
    assert_memory_equal(s, with, strlen(with));
}


static void
notation_check(ngx_str_t notation)
{
    ngx_int_t               rc;
    ngx_olivine_docs_arg_t  arg;

    while ((rc = ngx_olivine_docs_next(&notation, &arg)) == NGX_OK) {

        /* only arguments of their own have a type and something to show */

        if (ngx_olivine_docs_nested(&arg)) {
            assert_int_equal(arg.type.len, 0);
            assert_int_equal(arg.display.len, 0);
            notation_check(arg.args);
        }
    }

    assert_int_equal(rc, NGX_DECLINED);
}


static void
row_check(const ngx_olivine_command_t *row)
{
    ngx_str_t                     since, what, history;
    const ngx_olivine_docs_t     *docs;
    const ngx_olivine_command_t  *sub;

    docs = ngx_olivine_docs_find(&row->name);

    if (docs == NULL) {
        fail_msg("nothing is written of \"%s\"", row->name.data);
    }

    assert_non_null(docs->group);
    notation_check(text(docs->args));

    history = text(docs->history);

    while (ngx_olivine_docs_history(&history, &since, &what) == NGX_OK) {
        assert_true(since.data[0] >= '1' && since.data[0] <= '9');
        assert_true(what.len > 0);
    }

    assert_int_equal(history.len, 0);

    if (docs->instead) {
        history = text(docs->instead);
        assert_int_equal(ngx_olivine_docs_history(&history, &since, &what),
                         NGX_OK);
    }

    for (sub = row->subcommands; sub && sub->name.len; sub++) {
        row_check(sub);
    }
}


static void
test_every_row_is_written_of(void **state)
{
    const ngx_olivine_command_t  *row;

    for (row = ngx_olivine_commands; row->name.len; row++) {
        row_check(row);
    }
}


static void
test_nothing_is_written_twice(void **state)
{
    const ngx_olivine_docs_t  *docs;

    for (docs = ngx_olivine_docs; docs->name.len; docs++) {
        assert_ptr_equal(ngx_olivine_docs_find(&docs->name), docs);
    }
}


static void
test_notation_of_words(void **state)
{
    ngx_str_t               s = text("key count:integer... to:key#1 NX "
                                     "old<ip:port>!2.8.12 CH=change:token");
    ngx_olivine_docs_arg_t  arg;

    assert_int_equal(ngx_olivine_docs_next(&s, &arg), NGX_OK);
    assert_text(arg.name, "key");
    assert_text(ngx_olivine_docs_type(&arg), "key");
    assert_int_equal(arg.flags, 0);

    assert_int_equal(ngx_olivine_docs_next(&s, &arg), NGX_OK);
    assert_text(arg.name, "count");
    assert_text(ngx_olivine_docs_type(&arg), "integer");
    assert_int_equal(arg.flags, NGX_OLIVINE_DOCS_MULTIPLE);

    assert_int_equal(ngx_olivine_docs_next(&s, &arg), NGX_OK);
    assert_text(ngx_olivine_docs_type(&arg), "key");
    assert_int_equal(arg.spec, 1);

    assert_int_equal(ngx_olivine_docs_next(&s, &arg), NGX_OK);
    assert_text(arg.token, "NX");
    assert_text(ngx_olivine_docs_type(&arg), "pure-token");

    assert_int_equal(ngx_olivine_docs_next(&s, &arg), NGX_OK);
    assert_text(arg.display, "ip:port");
    assert_text(arg.deprecated, "2.8.12");
    assert_text(ngx_olivine_docs_type(&arg), "string");

    assert_int_equal(ngx_olivine_docs_next(&s, &arg), NGX_OK);
    assert_text(arg.token, "CH");
    assert_text(arg.name, "change");
    assert_text(ngx_olivine_docs_type(&arg), "pure-token");

    assert_int_equal(ngx_olivine_docs_next(&s, &arg), NGX_DECLINED);
}


static void
test_notation_of_groups(void **state)
{
    ngx_str_t               s = text("pair(key value)... "
                                     "[end(EX=seconds:integer@6.2.0 | "
                                     "when(NX | XX))@7.0.0....]");
    ngx_olivine_docs_arg_t  arg, inner;

    assert_int_equal(ngx_olivine_docs_next(&s, &arg), NGX_OK);
    assert_text(ngx_olivine_docs_type(&arg), "block");
    assert_text(arg.args, "key value");
    assert_true(arg.flags & NGX_OLIVINE_DOCS_MULTIPLE);

    assert_int_equal(ngx_olivine_docs_next(&s, &arg), NGX_OK);
    assert_text(ngx_olivine_docs_type(&arg), "oneof");
    assert_text(arg.since, "7.0.0");
    assert_int_equal(arg.flags, NGX_OLIVINE_DOCS_ONEOF
                     |NGX_OLIVINE_DOCS_OPTIONAL|NGX_OLIVINE_DOCS_MULTIPLE
                     |NGX_OLIVINE_DOCS_MULTIPLE_TOKEN);

    assert_int_equal(ngx_olivine_docs_next(&arg.args, &inner), NGX_OK);
    assert_text(inner.token, "EX");
    assert_text(inner.name, "seconds");
    assert_text(inner.since, "6.2.0");
    assert_int_equal(ngx_olivine_docs_next(&arg.args, &inner), NGX_OK);
    assert_text(inner.args, "NX | XX");
    assert_int_equal(ngx_olivine_docs_next(&arg.args, &inner),
                     NGX_DECLINED);

    assert_int_equal(ngx_olivine_docs_next(&s, &arg), NGX_DECLINED);
}


static void
test_notation_that_is_none(void **state)
{
    ngx_str_t               s;
    ngx_uint_t              i;
    ngx_olivine_docs_arg_t  arg;

    static const char *const  bad[] = {
        "[key", "key]", "pair(key", "=key", "key..", "key.....", "key#x",
        "key<ip", "key,", "[key value]", ")", "key:integer)"
    };

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        s = text(bad[i]);
        assert_int_equal(ngx_olivine_docs_next(&s, &arg), NGX_ERROR);
    }
}


static void
test_syntax_is_what_people_write(void **state)
{
    ngx_uint_t  i;
    ngx_str_t   notation;
    u_char      out[256], *p;

    static const struct {
        const char  *notation;
        const char  *syntax;
    } rows[] = {
        { "key value", "key value" },
        { "pair(key value)...", "key value [key value ...]" },
        { "[NX] [when(XX | GT)@7.0.0]", "[NX] [XX | GT]" },
        { "mode(ON | OFF)", "<ON | OFF>" },
        { "[TYPE=type(A | B)] [ID=id:integer...]",
          "[TYPE <A | B>] [ID id [id ...]]" },
        { "[PREFIX=prefix....]", "[PREFIX prefix [PREFIX prefix ...]]" },
        { "[end(EX=seconds:integer | KEEPTTL)]", "[EX seconds | KEEPTTL]" },
        { "filter(old<ip:port>!2.8.12 | new([ID=id] | [ADDR=a<ip:port>])...)",
          "<ip:port | <[ID id] | [ADDR ip:port]> "
          "[<[ID id] | [ADDR ip:port]> ...]>" },
        { "CH=change:token", "CH" },
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        notation = text(rows[i].notation);
        p = ngx_olivine_docs_syntax(out, out + sizeof(out) - 1, &notation);
        *p = '\0';
        assert_string_equal((char *) out, rows[i].syntax);
    }

    notation = text("key value");
    assert_ptr_equal(ngx_olivine_docs_syntax(out, out + 5, &notation),
                     out + 5);
}


static void
test_docs_of_what_there_is(void **state)
{
    unit_command_t  *c = *state;

    const char  *reply;

    assert_string_equal(unit_reply(c, "command docs nope"), "*0\r\n");

    reply = unit_reply(c, "command docs EXISTS nope client|ID");
    assert_begins(reply, "*4\r\n$6\r\nexists\r\n*12\r\n$7\r\nsummary\r\n");
    assert_non_null(strstr(reply, "$9\r\narguments\r\n*1\r\n*10\r\n$4\r\nname"
                           "\r\n$3\r\nkey\r\n$4\r\ntype\r\n$3\r\nkey\r\n"
                           "$12\r\ndisplay_text\r\n$3\r\nkey\r\n"
                           "$14\r\nkey_spec_index\r\n:0\r\n"
                           "$5\r\nflags\r\n*1\r\n+multiple\r\n"
                           "$9\r\nclient|id\r\n*8\r\n"));

    c->reply.resp3 = 1;

    assert_begins(unit_reply(c, "command docs exists"),
                  "%1\r\n$6\r\nexists\r\n%6\r\n$7\r\nsummary\r\n");
    assert_non_null(strstr(unit_reply(c, "command docs quit"),
                           "$9\r\ndoc_flags\r\n~1\r\n+deprecated\r\n"
                           "$16\r\ndeprecated_since\r\n$5\r\n7.2.0\r\n"
                           "$11\r\nreplaced_by\r\n"));
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_every_row_is_written_of),
        cmocka_unit_test(test_nothing_is_written_twice),
        cmocka_unit_test(test_notation_of_words),
        cmocka_unit_test(test_notation_of_groups),
        cmocka_unit_test(test_notation_that_is_none),
        cmocka_unit_test(test_syntax_is_what_people_write),
        unit_command_test(test_docs_of_what_there_is),
    };

    return unit_run(tests);
}
