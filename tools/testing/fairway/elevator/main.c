// SPDX-License-Identifier: GPL-2.0
/*
 * elevator= and queue/scheduler with texts at random: what is said about each entry
 * agrees with a second, plainer reading of the text, nothing of it is lost, nothing
 * is read behind its end (ASan), and one disk has one choice.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include "elevator-boot.h"

#define TEXTS	200000
#define LONGEST	160

static const char *const disks[] = { "sda", "sdb", "nvme0n1", "loop0", "dm-3", "x" };

/* Pieces of which texts are made; what is between them is random. */
static const char *const pieces[] = {
	"fairway", "none", "bfq", "mq-deadline", "deadline", "kyber", "nonesuch",
	"abcdefghijklmno", "abcdefghijklmnop", "sda", "sd*", "nvme*", "sd[a-c]",
	"sd[!a]", "[]]", "[", "]", "[!]", "\\", "\\*", "?", "*", ":", ":", ":", ",",
	",", ",", ",", " ", "\n", "\t", "\xe9", "-", "_", "%s", "%n", "a,a,a,a,a,a,a,a,a,a,a",
	"0123456789012345678901234567890123456789012345678901234567890123",
};

static uint64_t state;
static unsigned int warnings;
static unsigned int tests, failures;
static char trouble[512];

static unsigned int random_below(unsigned int limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 16) % limit;
}

void host_warn(const char *format, ...)
{
	char line[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	warnings++;
}

/* Memory of its own, so that one character too far is noticed. */
static char *random_text(size_t *len)
{
	char text[4 * LONGEST];
	size_t used = 0;
	unsigned int rest = random_below(40);
	char *copy;

	while (rest--) {
		const char *piece = pieces[random_below(ARRAY_SIZE(pieces))];

		if (used + strlen(piece) >= sizeof(text) - 1)
			break;
		if (random_below(8)) {
			memcpy(text + used, piece, strlen(piece));
			used += strlen(piece);
		} else {
			text[used++] = 1 + random_below(255);
		}
	}
	text[used] = '\0';
	copy = malloc(used + 1);
	memcpy(copy, text, used + 1);
	*len = used;
	return copy;
}

static bool is_name(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		char c = text[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(c >= '0' && c <= '9') && c != '-' && c != '_')
			return false;
	}
	return len >= 1 && len <= 15;
}

static void complain(const char *what, const char *text)
{
	if (!trouble[0])
		snprintf(trouble, sizeof(trouble), "%s: '%s'", what, text);
}

/* The text is made of the entries and the commas between them. */
static void check_entries(const char *text)
{
	struct elevator_boot_entry entry = {};
	const char *expected = text;
	unsigned int number = 0;

	while (elevator_boot_next(text, &entry)) {
		const char *colon = memchr(entry.text, ':', entry.len);
		const char *name = colon ? colon + 1 : entry.text;
		size_t name_len = entry.text + entry.len - name;

		if (entry.text != expected || entry.index != number++)
			complain("an entry is missing", text);
		expected = entry.text + entry.len + 1;
		if (number <= ELEVATOR_BOOT_ENTRIES_MAX && !entry.fault &&
		    (strlen(entry.name) != name_len || memcmp(entry.name, name, name_len) ||
		     !is_name(name, name_len)))
			complain("a name that is none", text);
		if (!entry.fault && colon &&
		    (strlen(entry.pattern) != (size_t)(colon - entry.text) ||
		     memcmp(entry.pattern, entry.text, colon - entry.text)))
			complain("the pattern is another", text);
		if (entry.fault && !colon && is_name(name, name_len) &&
		    number <= ELEVATOR_BOOT_ENTRIES_MAX)
			complain("a name that is refused", text);
	}
	if (expected != text + strlen(text) + 1)
		complain("the end is missing", text);
}

/* The last entry that holds decides, whoever asks and how often. */
static void check_pick(const char *text, const char *disk)
{
	struct elevator_boot_entry entry = {};
	char name[ELV_NAME_MAX] = "", wanted[ELV_NAME_MAX] = "";
	bool prefers_none = random_below(2);

	while (elevator_boot_next(text, &entry)) {
		if (entry.fault)
			continue;
		if (entry.pattern[0] ? glob_match(entry.pattern, disk) : !prefers_none)
			strscpy(wanted, entry.name, sizeof(wanted));
		if (elevator_boot_name_index(text, entry.name) > (int)entry.index)
			complain("a name has another place", text);
	}
	if (elevator_boot_pick(text, disk, prefers_none, name) != !!wanted[0] ||
	    strcmp(name, wanted))
		complain("another choice", text);
}

static void check_store(const char *text, size_t len)
{
	/* Not terminated, as far as the parser may know. */
	char *exact = malloc(len ? len : 1);
	char name[ELV_NAME_MAX] = "";
	size_t without = len && text[len - 1] == '\n' ? len - 1 : len;
	bool is_taken;

	memcpy(exact, text, len);
	is_taken = !elevator_name_store(name, exact, len);
	if (is_taken != is_name(text, without))
		complain(is_taken ? "taken as a name" : "refused as a name", text);
	if (is_taken && (strlen(name) != without || memcmp(name, text, without)))
		complain("taken as another name", text);
	free(exact);
}

static struct elevator_type *no_scheduler(const char *name)
{
	if (!is_name(name, strlen(name)))
		complain("asked for what is no name", name);
	return NULL;
}

/* The kernel's own way: the text is kept, and every disk asks. */
static void check_boot(char *text)
{
	struct blk_mq_tag_set set = {};
	struct gendisk disk = {};
	struct request_queue q = { .tag_set = &set, .disk = &disk };
	struct elevator_type *choice;
	unsigned int i, before = warnings;

	elevator_setup(text);
	for (i = 0; i < ARRAY_SIZE(disks); i++) {
		strscpy(disk.disk_name, disks[i], sizeof(disk.disk_name));
		set.flags = random_below(2) ? BLK_MQ_F_NO_SCHED_BY_DEFAULT : 0;
		if (elevator_boot_choice(&q, no_scheduler, &choice) && choice)
			complain("a scheduler that is not there", text);
	}
	/* One for what was replaced, for each entry, for each name; and one. */
	if (warnings - before > 2 * ELEVATOR_BOOT_ENTRIES_MAX + 2)
		complain("too many lines", text);
}

static void report(const char *claim, uint64_t seed)
{
	tests++;
	failures += !!trouble[0];
	printf("%sok %u %s, seed %llu%s%s\n", trouble[0] ? "not " : "", tests, claim,
	       (unsigned long long)seed, trouble[0] ? ": " : "", trouble);
	trouble[0] = '\0';
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	char *kept = NULL;
	unsigned int i;

	state = seed * 0x9e3779b97f4a7c15ULL | 1;
	for (i = 0; i < TEXTS; i++) {
		size_t len;
		char *text = random_text(&len);

		check_entries(text);
		check_pick(text, disks[random_below(ARRAY_SIZE(disks))]);
		check_store(text, len);
		/* elevator_setup() keeps it until the next. */
		check_boot(text);
		free(kept);
		kept = text;
	}
	report("elevator= and names at random", seed);
	printf("1..%u\n", tests);
	free(kept);
	return !!failures;
}
