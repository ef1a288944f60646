/* The best depth-first counter of no-set lists in C that we could write, to measure the kernels against.
 *
 * As in the kernels (setset/engine/kernels.py): a set of cards is a low word for the cards 0..16 and a high word for
 * the cards 17..80, so that most of the walk is on one word. The high word is upside down, bit i is card 80 - i: the
 * highest card is the cheapest to find. fits[d][b] are the cards that make no set with b and any of the d cards chosen
 * so far, made for all high cards at once. Which children of a list have enough remaining cards is asked of all of
 * them at once: the next card after the `need` highest ones must fit those, any card below all of these need + 1 but
 * one, or it is asked for itself. The last level is never visited.
 *
 *   counter tree TARGET SIZE          counts the lists of SIZE cards from the empty list on
 *   counter from FILE N TARGET SIZE   the same below the N-card lists of FILE, one byte a card, ascending
 *
 * If SIZE is TARGET or more, lists of SIZE - 2 cards are visited and the remaining cards of their children
 * added up. Prints the count and the seconds of CPU time.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t u64;
#define LOW 17
#define count_of(word) __builtin_popcountll(word)
#define lowest(word) __builtin_ctzll(word)
#define below(bit) ((1ull << (bit)) - 1)
#define TOP 80
#define inlined static inline __attribute__((always_inline))

/* High words of high cards; low and high words of low cards. For two cards: all but the third of their set. */
static u64 spare[81][64], spare_low[81][LOW], spare_high[81][LOW];
static u64 fits[22][64], fits_low[22][LOW], fits_high[22][LOW];
static u64 low_at[22], high_at[22], found;
static int target, size;

/* How many of the remaining cards have `need` others above them that fit. */
inlined int enough(const u64 *fits, const u64 *spare, u64 high, const int need) {
    u64 every = ~0ull, but_one = ~0ull, rest = high;
    for (int step = 0; step < need; step++) {
        int card = lowest(rest);
        u64 fitting = fits[card] & spare[card];
        but_one = every | (but_one & fitting);
        every &= fitting;
        rest &= rest - 1;
    }
    int card = lowest(rest);
    but_one = every | (but_one & fits[card] & spare[card]);
    rest &= rest - 1;
    int kept = (every >> card & 1) + count_of(rest);
    for (u64 few = rest & ~but_one; few; few &= few - 1) {
        int b = lowest(few);
        kept -= count_of(fits[b] & spare[b] & high & below(b)) < need;
    }
    return kept;
}

/* All children of the lists that add one of `high` to the open one, where `need` more must remain to a child. */
inlined void count_children(int depth, u64 high, const int need) {
    for (u64 rest = high; rest;) {
        int card = lowest(rest);
        u64 left = high & below(card) & fits[depth][card];
        rest &= rest - 1;
        const u64 *spare_of_card = spare[TOP - card];
        if (count_of(left) < need + 1) continue;
        if (need == 0) found += count_of(left);
        else found += enough(fits[depth], spare_of_card, left, need);
    }
}

/* The grandchildren: what remains to the children, from the target on. */
inlined void count_grandchildren(int depth, u64 high, int need) {
    for (u64 rest = high; rest;) {
        int card = lowest(rest);
        u64 left = high & below(card) & fits[depth][card];
        rest &= rest - 1;
        if (count_of(left) < need) continue;
        for (u64 children = left; children; children &= children - 1) {
            int child = lowest(children);
            found += count_of(left & below(child) & fits[depth][child] & spare[TOP - card][child]);
        }
    }
}

static void descend(int depth, int card, u64 low, u64 high) {
    low_at[depth + 1] = low, high_at[depth + 1] = high;
    for (; low; low &= low - 1) {
        int b = lowest(low);
        fits_low[depth + 1][b] = fits_low[depth][b] & spare_low[card][b];
        fits_high[depth + 1][b] = fits_high[depth][b] & spare_high[card][b];
    }
    for (int b = 0; b < 64; b++) fits[depth + 1][b] = fits[depth][b] & spare[card][b];
}

static void walk_high(int depth, u64 high) {
    int need = target - depth - 1;
    if (size >= target && depth == size - 3) {
        count_grandchildren(depth, high, need);
        return;
    }
    if (size < target && depth == size - 2 && target - size <= 6) {
        switch (target - size) {
            case 1: count_children(depth, high, 1); return;
            case 2: count_children(depth, high, 2); return;
            case 3: count_children(depth, high, 3); return;
            case 4: count_children(depth, high, 4); return;
            case 5: count_children(depth, high, 5); return;
            case 6: count_children(depth, high, 6); return;
        }
    }
    for (u64 rest = high; rest;) {
        int card = lowest(rest);
        u64 left = high & below(card) & fits[depth][card];
        rest &= rest - 1;
        if (depth < 2 ? 0 : depth == 2 ? TOP - card >= 81 - (target - 3) : count_of(left) < need) continue;
        if (depth + 1 == size) {
            found++;
            continue;
        }
        descend(depth, TOP - card, 0, left);
        walk_high(depth + 1, left);
    }
}

static void walk(int depth, u64 low, u64 high) {
    int need = target - depth - 1;
    while (low) {
        int card = lowest(low);
        low &= low - 1;
        u64 l = low & fits_low[depth][card], h = high & fits_high[depth][card];
        if (depth >= 3 && count_of(l) + count_of(h) < need) continue;
        if (depth + 1 == size) {
            found++;
            continue;
        }
        descend(depth, card, l, h);
        walk(depth + 1, l, h);
    }
    walk_high(depth, high);
}

static void start(void) {
    for (int a = 0; a < 81; a++)
        for (int b = 0; b < 81; b++) {
            int third = 0;
            for (int weight = 1; weight < 81; weight *= 3) third += (6 - a / weight % 3 - b / weight % 3) % 3 * weight;
            u64 low = ~0ull, high = ~0ull;
            if (a != b && third < LOW) low ^= 1ull << third;
            if (a != b && third >= LOW) high ^= 1ull << (TOP - third);
            if (b < LOW) spare_low[a][b] = low, spare_high[a][b] = high;
            else spare[a][TOP - b] = high;
        }
    memset(fits[0], 255, sizeof fits[0]);
    memset(fits_low[0], 255, sizeof fits_low[0]);
    memset(fits_high[0], 255, sizeof fits_high[0]);
    low_at[0] = (1ull << LOW) - 1, high_at[0] = ~0ull;
}

int main(int argc, char **argv) {
    int tree = argc == 4 && !strcmp(argv[1], "tree");
    if (!tree && !(argc == 6 && !strcmp(argv[1], "from"))) return 2;
    target = atoi(argv[argc - 2]), size = atoi(argv[argc - 1]);
    unsigned char *lists = NULL;
    long count = 0, n = 0;
    if (!tree) {
        FILE *file = fopen(argv[2], "rb");
        n = atoi(argv[3]);
        if (!file || fseek(file, 0, SEEK_END)) return 1;
        count = ftell(file) / n, rewind(file);
        lists = malloc(count * n);
        if (!lists || fread(lists, n, count, file) != (size_t)count) return 1;
    }
    start();
    clock_t started = clock();
    if (tree) walk(0, low_at[0], high_at[0]);
    for (long i = 0; i < count; i++) {
        unsigned char *list = lists + i * n;
        int depth = 0;
        if (i) while (depth < n && list[depth] == list[depth - n]) depth++;
        for (; depth < n; depth++) {
            int card = list[depth];
            if (card < LOW)
                descend(depth, card, low_at[depth] & fits_low[depth][card] & ~1ull << card,
                        high_at[depth] & fits_high[depth][card]);
            else descend(depth, card, 0, high_at[depth] & fits[depth][TOP - card] & below(TOP - card));
        }
        walk(n, low_at[n], high_at[n]);
    }
    printf("%llu %.6f\n", (unsigned long long)found, (double)(clock() - started) / CLOCKS_PER_SEC);
    return 0;
}
