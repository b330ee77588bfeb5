// SPDX-License-Identifier: GPL-2.0
/*
 * The elevator= boot parameter: which I/O scheduler a new disk starts with.
 *
 *	elevator=ENTRY[,ENTRY]...	ENTRY is NAME or PATTERN:NAME
 *
 * NAME is a scheduler, an alias of one, or "none". An entry without a pattern
 * holds for every disk that would take a scheduler by itself, whatever its
 * number of hardware queues; an entry with one holds for every disk whose name
 * the glob pattern matches. The last entry that holds decides.
 *
 * What is wrong on paper is reported when the parameter is parsed and then
 * skipped, as if it had not been written. Whether a name is that of a scheduler
 * cannot be told so early, because schedulers register at device_initcall time
 * (before the disk drivers, which are linked later). It is judged when a disk
 * arrives: if the scheduler is not there then, the disk takes its normal
 * default. Modules are never requested, because disks may be probed by the
 * asynchronous workers that a module load waits for.
 *
 * The functions up to elevator_name_store() decide and do nothing else: no
 * allocation, no lock, no printing.
 */
#include <linux/bitmap.h>
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <linux/ctype.h>
#include <linux/glob.h>
#include <linux/init.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <kunit/visibility.h>

#include "elevator-boot.h"

/* What the names of schedulers are made of; isalnum() alone takes Latin-1. */
static bool elevator_name_has_char(unsigned char c)
{
	return isascii(c) && (isalnum(c) || c == '-' || c == '_');
}

/* Copy @len characters of @text to @name if they can be a scheduler's name. */
static bool elevator_name_copy(char *name, const char *text, size_t len)
{
	size_t i;

	if (!len || len >= ELV_NAME_MAX)
		return false;
	for (i = 0; i < len; i++)
		if (!elevator_name_has_char(text[i]))
			return false;
	memcpy(name, text, len);
	name[len] = '\0';
	return true;
}

/*
 * Length of the character class that starts at @class ("[a-z]"), or 0 if it is
 * not closed. As in glob(7), its first member may be a bracket.
 */
static size_t elevator_boot_class_len(const char *class)
{
	const char *first = class + 1 + (class[1] == '!');
	const char *end;

	if (!*first)
		return 0;
	end = strchr(first + 1, ']');
	return end ? end + 1 - class : 0;
}

/*
 * glob_match() takes a bracket without its partner literally, but no disk is
 * called that: "sd[a,b]:bfq", cut at its comma, must not pass as two patterns.
 */
static bool elevator_boot_pattern_is_valid(const char *pattern)
{
	size_t len;

	for (; *pattern; pattern += len) {
		len = 1;
		if (!isascii(*pattern) || !isgraph(*pattern) || *pattern == ']')
			return false;
		if (*pattern == '[')
			len = elevator_boot_class_len(pattern);
		else if (*pattern == '\\')
			len = pattern[1] ? 2 : 0;
		if (!len)
			return false;
	}
	return true;
}

/* Fill the pattern and the name of @entry; return what is wrong, or NULL. */
static const char *elevator_boot_parse(struct elevator_boot_entry *entry)
{
	const char *end = entry->text + entry->len;
	const char *colon = memchr(entry->text, ':', entry->len);
	const char *name = colon ? colon + 1 : entry->text;
	size_t pattern_len = colon ? colon - entry->text : 0;

	if (!entry->len)
		return "empty entry";
	if (colon && !pattern_len)
		return "no pattern before the colon";
	if (name == end)
		return "no name after the colon";
	if (memchr(name, ':', end - name))
		return "more than one colon";
	if (pattern_len >= sizeof(entry->pattern))
		return "pattern too long";

	memcpy(entry->pattern, entry->text, pattern_len);
	entry->pattern[pattern_len] = '\0';
	if (!elevator_boot_pattern_is_valid(entry->pattern))
		return "malformed pattern";
	if (!elevator_name_copy(entry->name, name, end - name))
		return "not the name of a scheduler";
	return NULL;
}

/**
 * elevator_boot_next - step to the next entry of an elevator= list
 * @text: the list
 * @entry: the last entry seen, zeroed before the first call
 *
 * Every character of @text except the commas between entries belongs to one
 * entry. From the first entry beyond ELEVATOR_BOOT_ENTRIES_MAX on, the rest of
 * @text counts as one faulty entry.
 *
 * Return: false if there is no further entry.
 */
bool elevator_boot_next(const char *text, struct elevator_boot_entry *entry)
{
	if (!entry->text) {
		entry->text = text;
	} else if (entry->text[entry->len]) {
		entry->text += entry->len + 1;
		entry->index++;
	} else {
		return false;
	}

	if (entry->index == ELEVATOR_BOOT_ENTRIES_MAX) {
		entry->len = strlen(entry->text);
		entry->fault = "too many entries";
	} else {
		entry->len = strcspn(entry->text, ",");
		entry->fault = elevator_boot_parse(entry);
	}
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(elevator_boot_next);

static bool elevator_boot_matches(const struct elevator_boot_entry *entry,
				  const char *disk, bool prefers_none)
{
	if (entry->fault)
		return false;
	if (!entry->pattern[0])
		return !prefers_none;
	return glob_match(entry->pattern, disk);
}

/**
 * elevator_boot_pick - choose a scheduler for a disk
 * @text: an elevator= list
 * @disk: name of the disk
 * @prefers_none: the disk takes a scheduler only if a pattern matches it
 * @name: room for ELV_NAME_MAX characters; the choice
 *
 * Return: false if no entry holds for the disk; then @name is not changed.
 */
bool elevator_boot_pick(const char *text, const char *disk, bool prefers_none,
			char *name)
{
	struct elevator_boot_entry entry = {};
	bool is_picked = false;

	while (elevator_boot_next(text, &entry)) {
		if (!elevator_boot_matches(&entry, disk, prefers_none))
			continue;
		strscpy(name, entry.name, ELV_NAME_MAX);
		is_picked = true;
	}
	return is_picked;
}
EXPORT_SYMBOL_IF_KUNIT(elevator_boot_pick);

/**
 * elevator_boot_name_index - find the first entry with a name
 * @text: an elevator= list
 * @name: scheduler to look for
 *
 * Return: the index of the entry, the same for all entries with that name, or
 * -1 if there is none.
 */
int elevator_boot_name_index(const char *text, const char *name)
{
	struct elevator_boot_entry entry = {};

	while (elevator_boot_next(text, &entry))
		if (!entry.fault && !strcmp(entry.name, name))
			return entry.index;
	return -1;
}
EXPORT_SYMBOL_IF_KUNIT(elevator_boot_name_index);

/**
 * elevator_name_store - take a scheduler's name from a write to sysfs
 * @name: room for ELV_NAME_MAX characters; the name
 * @buf: what was written
 * @count: characters in @buf
 *
 * One trailing newline is dropped. Nothing else is, and nothing is cut: a text
 * that is not a name must not become one on the way.
 *
 * Return: 0, or -EINVAL if the text cannot be a name.
 */
int elevator_name_store(char *name, const char *buf, size_t count)
{
	if (count && buf[count - 1] == '\n')
		count--;
	return elevator_name_copy(name, buf, count) ? 0 : -EINVAL;
}
EXPORT_SYMBOL_IF_KUNIT(elevator_name_store);

/*
 * The text of elevator=, or NULL. It is part of static_command_line, which
 * start_kernel() allocates for this use and nobody frees.
 */
static const char *elevator_boot_text __ro_after_init;

/* Names that were reported as unknown, by elevator_boot_name_index(). */
static DECLARE_BITMAP(elevator_boot_unknown, ELEVATOR_BOOT_ENTRIES_MAX);

static void elevator_boot_report_unknown(const char *name, const char *disk)
{
	int index = elevator_boot_name_index(elevator_boot_text, name);

	/* Disks are probed in parallel: the bit decides who reports. */
	if (index >= 0 && !test_and_set_bit(index, elevator_boot_unknown))
		pr_warn("elevator=: ignored \"%s\": neither built in nor loaded when %s came\n",
			name, disk);
}

/**
 * elevator_boot_choice - what elevator= wants for a queue
 * @q: queue of a disk that can have a scheduler and is about to be added
 * @find_get: returns a registered scheduler with a reference held, or NULL
 * @choice: the scheduler to use, with the reference, or NULL for "none"
 *
 * Called from elevator_get_default(). May run in several tasks at once; takes
 * no lock.
 *
 * Return: false if the disk shall have its normal default; @choice then means
 * nothing.
 */
bool elevator_boot_choice(struct request_queue *q,
			  struct elevator_type *(*find_get)(const char *name),
			  struct elevator_type **choice)
{
	bool prefers_none = q->tag_set->flags & BLK_MQ_F_NO_SCHED_BY_DEFAULT;
	const char *disk = q->disk->disk_name;
	char name[ELV_NAME_MAX];

	if (!elevator_boot_text)
		return false;
	if (!elevator_boot_pick(elevator_boot_text, disk, prefers_none, name))
		return false;

	*choice = NULL;
	if (!strcmp(name, "none"))
		return true;

	*choice = find_get(name);
	if (!*choice)
		elevator_boot_report_unknown(name, disk);
	return *choice;
}

/**
 * elevator_setup - take the elevator= parameter
 * @text: the list, in memory that stays
 *
 * Called by __setup() in elevator.c, before there is anything to allocate from.
 *
 * Return: 1, the parameter is dealt with.
 */
int __init elevator_setup(char *text)
{
	struct elevator_boot_entry entry = {};

	if (elevator_boot_text)
		pr_warn("elevator=: ignored \"%s\": a later elevator= replaces it\n",
			elevator_boot_text);
	elevator_boot_text = text;

	while (elevator_boot_next(text, &entry))
		if (entry.fault)
			pr_warn("elevator=: ignored \"%.*s\": %s\n",
				(int)entry.len, entry.text, entry.fault);
	return 1;
}
