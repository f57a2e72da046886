/* test_sha256.c: SHA-256 against the examples of FIPS 180-4, and in pieces. */
#include "base/sha256.h"
#include "support/test.h"

#include <string.h>

static void assert_sum(const char *bytes, const char *expected)
{
    char text[SS_SHA256_TEXT];
    ss_sha256_text(bytes, strlen(bytes), text);
    assert_string_equal(text, expected);
}

static void the_examples_of_the_standard(void **state)
{
    (void)state;
    assert_sum("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_sum("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_sum("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    static char million[1000001];
    memset(million, 'a', 1000000);
    assert_sum(million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void pieces_give_what_the_whole_gives(void **state)
{
    (void)state;
    unsigned char bytes[200], whole[SS_SHA256_BYTES], pieces[SS_SHA256_BYTES];
    for (int i = 0; i < 200; i++)
        bytes[i] = (unsigned char)(7 * i);
    ss_sha256 s;
    ss_sha256_begin(&s);
    ss_sha256_add(&s, bytes, sizeof bytes);
    ss_sha256_end(&s, whole);
    for (size_t cut = 0; cut <= sizeof bytes; cut++) {
        ss_sha256_begin(&s);
        ss_sha256_add(&s, bytes, cut);
        ss_sha256_add(&s, bytes + cut, sizeof bytes - cut);
        ss_sha256_end(&s, pieces);
        assert_memory_equal(whole, pieces, sizeof whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_standard),
        cmocka_unit_test(pieces_give_what_the_whole_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
