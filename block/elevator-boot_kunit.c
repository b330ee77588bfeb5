// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests for the text side of elevator-boot.c: what elevator= chooses for
 * a disk and what it reports as ignored, and what queue/scheduler takes as a
 * name.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "elevator-boot.h"

/* 15 characters, the longest name a scheduler can have, and 16. */
#define NAME_15		"abcdefghijklmno"
#define NAME_16		"abcdefghijklmnop"

/* 63 characters, the longest pattern, and 64. */
#define PATTERN_63	"012345678901234567890123456789012345678901234567890123456789012"
#define PATTERN_64	"0123456789012345678901234567890123456789012345678901234567890123"

/* 16 well-formed entries, and as many as are looked at. */
#define ENTRIES_4	"a,b,c,d"
#define ENTRIES_16	ENTRIES_4 "," ENTRIES_4 "," ENTRIES_4 "," ENTRIES_4
#define ENTRIES_64	ENTRIES_16 "," ENTRIES_16 "," ENTRIES_16 "," ENTRIES_16

/*
 * @choice: the name picked, NULL where the disk has its normal default
 * @ignored: "ENTRY=reason;" for each entry that is reported
 */
struct elevator_boot_case {
	const char *text;
	const char *disk;
	bool prefers_none;
	const char *choice;
	const char *ignored;
};

static const struct elevator_boot_case elevator_boot_cases[] = {
	/* A name for all disks, but for those that prefer none. */
	{ "fairway", "sda", false, "fairway", "" },
	{ "fairway", "nvme0n1", false, "fairway", "" },
	{ "fairway", "loop0", true, NULL, "" },
	{ "deadline", "sda", false, "deadline", "" },
	{ "none", "sda", false, "none", "" },
	{ "nonesuch", "sda", false, "nonesuch", "" },
	{ NAME_15, "sda", false, NAME_15, "" },
	{ "a-b_C9", "sda", false, "a-b_C9", "" },

	/* A pattern names disks, also those that prefer none. */
	{ "sdb:bfq", "sdb", false, "bfq", "" },
	{ "sdb:bfq", "sda", false, NULL, "" },
	{ "sdb:bfq", "sdba", false, NULL, "" },
	{ "sdb:none", "sdb", false, "none", "" },
	{ "loop*:fairway", "loop0", true, "fairway", "" },
	{ "*:fairway", "loop0", true, "fairway", "" },
	{ "*:fairway", "sda", false, "fairway", "" },
	{ PATTERN_63 ":bfq", PATTERN_63, false, "bfq", "" },

	/* Globs. */
	{ "nvme*:none", "nvme0n1", false, "none", "" },
	{ "nvme*:none", "nvm0n1", false, NULL, "" },
	{ "sd?:bfq", "sdb", false, "bfq", "" },
	{ "sd?:bfq", "sdba", false, NULL, "" },
	{ "sd?:bfq", "sd", false, NULL, "" },
	{ "sd[a-c]:bfq", "sdb", false, "bfq", "" },
	{ "sd[a-c]:bfq", "sdd", false, NULL, "" },
	{ "sd[!a-c]:bfq", "sdb", false, NULL, "" },
	{ "sd[!a-c]:bfq", "sdd", false, "bfq", "" },
	{ "sd[]b]:bfq", "sdb", false, "bfq", "" },
	{ "nvme*n[12]:bfq", "nvme10n2", false, "bfq", "" },
	{ "s\\db:bfq", "sdb", false, "bfq", "" },
	{ "s\\[db:bfq", "s[db", false, "bfq", "" },
	{ "SDB:bfq", "sdb", false, NULL, "" },

	/* The last entry that holds decides. */
	{ "fairway,nvme*:none,sdb:bfq", "sda", false, "fairway", "" },
	{ "fairway,nvme*:none,sdb:bfq", "nvme0n1", false, "none", "" },
	{ "fairway,nvme*:none,sdb:bfq", "sdb", false, "bfq", "" },
	{ "fairway,nvme*:none,sdb:bfq", "loop0", true, NULL, "" },
	{ "sdb:bfq,fairway", "sdb", false, "fairway", "" },
	{ "loop0:bfq,fairway", "loop0", true, "bfq", "" },
	{ "fairway,bfq", "sda", false, "bfq", "" },
	{ "sdb:bfq,sdb:kyber", "sdb", false, "kyber", "" },
	{ "sd*:bfq,sdb:none,sd*:kyber", "sdb", false, "kyber", "" },
	{ "fairway,fairway", "sda", false, "fairway", "" },

	/* Malformed: nothing, or nothing on one side of the colon. */
	{ "", "sda", false, NULL, "=empty entry;" },
	{ ",", "sda", false, NULL, "=empty entry;=empty entry;" },
	{ "fairway,", "sda", false, "fairway", "=empty entry;" },
	{ ",fairway", "sda", false, "fairway", "=empty entry;" },
	{ "bfq,,sdb:kyber", "sda", false, "bfq", "=empty entry;" },
	{ ":", "sda", false, NULL, ":=no pattern before the colon;" },
	{ ":bfq", "sda", false, NULL, ":bfq=no pattern before the colon;" },
	{ "sdb:", "sdb", false, NULL, "sdb:=no name after the colon;" },
	{ "sdb::bfq", "sdb", false, NULL, "sdb::bfq=more than one colon;" },
	{ "sdb:bfq:", "sdb", false, NULL, "sdb:bfq:=more than one colon;" },
	{ "sda:sdb:bfq", "sdb", false, NULL, "sda:sdb:bfq=more than one colon;" },

	/* Malformed: names. */
	{ NAME_16, "sda", false, NULL, NAME_16 "=not the name of a scheduler;" },
	{ "sdb:" NAME_16, "sdb", false, NULL,
	  "sdb:" NAME_16 "=not the name of a scheduler;" },
	{ "nvme*", "nvme0n1", false, NULL, "nvme*=not the name of a scheduler;" },
	{ " ", "sda", false, NULL, " =not the name of a scheduler;" },
	{ "fairway ", "sda", false, NULL, "fairway =not the name of a scheduler;" },
	{ "bfq kyber", "sda", false, NULL, "bfq kyber=not the name of a scheduler;" },
	{ "../bfq", "sda", false, NULL, "../bfq=not the name of a scheduler;" },
	{ "b\xe9q", "sda", false, NULL, "b\xe9q=not the name of a scheduler;" },
	{ "sdb:*", "sdb", false, NULL, "sdb:*=not the name of a scheduler;" },

	/* Malformed: patterns. */
	{ PATTERN_64 ":bfq", PATTERN_64, false, NULL,
	  PATTERN_64 ":bfq=pattern too long;" },
	{ "fairway, sdb:bfq", "sdb", false, "fairway",
	  " sdb:bfq=malformed pattern;" },
	{ "s db:bfq", "s db", false, NULL, "s db:bfq=malformed pattern;" },
	{ "sd[b:bfq", "sd[b", false, NULL, "sd[b:bfq=malformed pattern;" },
	{ "sd[:bfq", "sd[", false, NULL, "sd[:bfq=malformed pattern;" },
	{ "sd[]:bfq", "sd[]", false, NULL, "sd[]:bfq=malformed pattern;" },
	{ "sd[!]:bfq", "sd[!]", false, NULL, "sd[!]:bfq=malformed pattern;" },
	{ "sdb]:bfq", "sdb]", false, NULL, "sdb]:bfq=malformed pattern;" },
	{ "sdb\\:bfq", "sdb\\", false, NULL, "sdb\\:bfq=malformed pattern;" },
	{ "sd\xe9:bfq", "sd\xe9", false, NULL, "sd\xe9:bfq=malformed pattern;" },
	{ "sd[a,b]:bfq", "sdb", false, NULL,
	  "sd[a=not the name of a scheduler;b]:bfq=malformed pattern;" },

	/* What is malformed takes nothing else with it. */
	{ "fairway,sdb:", "sdb", false, "fairway", "sdb:=no name after the colon;" },
	{ ":bfq,sdb:kyber,,", "sdb", false, "kyber",
	  ":bfq=no pattern before the colon;=empty entry;=empty entry;" },

	/* Entries that nobody looks at are reported in one piece. */
	{ ENTRIES_64, "sda", false, "d", "" },
	{ ENTRIES_64 ",e", "sda", false, "d", "e=too many entries;" },
	{ ENTRIES_64 ",", "sda", false, "d", "=too many entries;" },
	{ ENTRIES_64 ",:,sda:e,", "sda", false, "d",
	  ":,sda:e,=too many entries;" },
};

static void elevator_boot_desc(const struct elevator_boot_case *test_case,
			       char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%.60s for %.30s%s",
		 *test_case->text ? test_case->text : "(empty)",
		 test_case->disk,
		 test_case->prefers_none ? ", which prefers none" : "");
}

KUNIT_ARRAY_PARAM(elevator_boot, elevator_boot_cases, elevator_boot_desc);

static void elevator_boot_picks(struct kunit *test)
{
	const struct elevator_boot_case *test_case = test->param_value;
	char name[ELV_NAME_MAX] = "(untouched)";
	bool is_picked;

	is_picked = elevator_boot_pick(test_case->text, test_case->disk,
				       test_case->prefers_none, name);

	KUNIT_EXPECT_EQ(test, is_picked, !!test_case->choice);
	KUNIT_EXPECT_STREQ(test, name, test_case->choice ?: "(untouched)");
}

static void elevator_boot_reports_ignored(struct kunit *test)
{
	const struct elevator_boot_case *test_case = test->param_value;
	struct elevator_boot_entry entry = {};
	char ignored[256] = "";
	size_t used = 0;

	while (elevator_boot_next(test_case->text, &entry)) {
		if (!entry.fault)
			continue;
		used += snprintf(ignored + used, sizeof(ignored) - used,
				 "%.*s=%s;", (int)entry.len, entry.text,
				 entry.fault);
		KUNIT_ASSERT_LT(test, used, sizeof(ignored));
	}
	KUNIT_EXPECT_STREQ(test, ignored, test_case->ignored);
}

/* The entries and the commas between them are the text, nothing is lost. */
static void elevator_boot_entries_cover_text(struct kunit *test)
{
	const struct elevator_boot_case *test_case = test->param_value;
	const char *expected = test_case->text;
	struct elevator_boot_entry entry = {};
	unsigned int count = 0;

	while (elevator_boot_next(test_case->text, &entry)) {
		KUNIT_EXPECT_PTR_EQ(test, entry.text, expected);
		KUNIT_EXPECT_EQ(test, entry.index, count++);
		KUNIT_ASSERT_LE(test, count, ELEVATOR_BOOT_ENTRIES_MAX + 1);
		expected = entry.text + entry.len + 1;
	}
	KUNIT_EXPECT_PTR_EQ(test, expected,
			    test_case->text + strlen(test_case->text) + 1);
}

static void elevator_boot_names_have_one_index(struct kunit *test)
{
	const char *text = "sda:x,:x,y,sdb:x,z,y";

	KUNIT_EXPECT_EQ(test, elevator_boot_name_index(text, "x"), 0);
	KUNIT_EXPECT_EQ(test, elevator_boot_name_index(text, "y"), 2);
	KUNIT_EXPECT_EQ(test, elevator_boot_name_index(text, "z"), 4);
	KUNIT_EXPECT_EQ(test, elevator_boot_name_index(text, "w"), -1);
	KUNIT_EXPECT_EQ(test, elevator_boot_name_index(":x,sdb:x", "x"), 1);
	KUNIT_EXPECT_EQ(test, elevator_boot_name_index(":x", "x"), -1);
	KUNIT_EXPECT_EQ(test, elevator_boot_name_index("", ""), -1);
}

/* @name: what is taken, NULL for -EINVAL */
struct elevator_store_case {
	const char *desc;
	const char *buf;
	size_t count;
	const char *name;
};

#define STORE_CASE(_desc, _buf, _name) \
	{ .desc = _desc, .buf = _buf, .count = sizeof(_buf) - 1, .name = _name }

static const struct elevator_store_case elevator_store_cases[] = {
	STORE_CASE("name", "fairway", "fairway"),
	STORE_CASE("name and newline", "fairway\n", "fairway"),
	STORE_CASE("none", "none\n", "none"),
	STORE_CASE("name that begins like none", "nonesuch\n", "nonesuch"),
	STORE_CASE("one character", "x", "x"),
	STORE_CASE("15 characters", NAME_15, NAME_15),
	STORE_CASE("15 characters and newline", NAME_15 "\n", NAME_15),
	STORE_CASE("16 characters", NAME_16, NULL),
	STORE_CASE("16 characters and newline", NAME_16 "\n", NULL),
	STORE_CASE("64 characters", PATTERN_64, NULL),
	STORE_CASE("nothing", "", NULL),
	STORE_CASE("newline", "\n", NULL),
	STORE_CASE("two newlines", "\n\n", NULL),
	STORE_CASE("space", " ", NULL),
	STORE_CASE("name and two newlines", "fairway\n\n", NULL),
	STORE_CASE("newline before", "\nfairway", NULL),
	STORE_CASE("space before", " fairway", NULL),
	STORE_CASE("space after", "fairway ", NULL),
	STORE_CASE("carriage return", "fairway\r\n", NULL),
	STORE_CASE("tab", "\tfairway\n", NULL),
	STORE_CASE("two words", "fairway junk", NULL),
	STORE_CASE("two lines", "fairway\njunk\n", NULL),
	STORE_CASE("brackets", "[fairway]", NULL),
	STORE_CASE("list", "fairway,none", NULL),
	STORE_CASE("path", "../fairway", NULL),
	STORE_CASE("format", "%s", NULL),
	STORE_CASE("Latin-1 letter", "fairwa\xff", NULL),
	STORE_CASE("NUL", "\0", NULL),
	STORE_CASE("NUL after", "fairway\0", NULL),
	STORE_CASE("NUL inside", "fair\0way", NULL),
};

KUNIT_ARRAY_PARAM_DESC(elevator_store, elevator_store_cases, desc);

static void elevator_store_takes_names_only(struct kunit *test)
{
	const struct elevator_store_case *test_case = test->param_value;
	char name[ELV_NAME_MAX] = "(untouched)";
	int ret;

	ret = elevator_name_store(name, test_case->buf, test_case->count);

	KUNIT_EXPECT_EQ(test, ret, test_case->name ? 0 : -EINVAL);
	KUNIT_EXPECT_STREQ(test, name, test_case->name ?: "(untouched)");
}

static struct kunit_case elevator_boot_test_cases[] = {
	KUNIT_CASE_PARAM(elevator_boot_picks, elevator_boot_gen_params),
	KUNIT_CASE_PARAM(elevator_boot_reports_ignored,
			 elevator_boot_gen_params),
	KUNIT_CASE_PARAM(elevator_boot_entries_cover_text,
			 elevator_boot_gen_params),
	KUNIT_CASE(elevator_boot_names_have_one_index),
	KUNIT_CASE_PARAM(elevator_store_takes_names_only,
			 elevator_store_gen_params),
	{}
};

static struct kunit_suite elevator_boot_test_suite = {
	.name = "elevator_boot",
	.test_cases = elevator_boot_test_cases,
};

kunit_test_suite(elevator_boot_test_suite);

MODULE_DESCRIPTION("KUnit tests for the elevator= boot parameter");
MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_LICENSE("GPL");
