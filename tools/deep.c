/* Counts the lists of T cards that begin with given lists of 6 cards, to measure the deep walk against.
 *
 *   deep FILE T          FILE has the lists, one byte per card, ascending
 *
 * Prints the count and the seconds of CPU time.
 *
 * The walk lives within the cards that remain to the root, relabelled 0..63 in ascending order, so a set of cards is
 * one word. fits[d][a]: the remaining cards that make no set with a and any card chosen so far. A child needs `need`
 * more cards; a card that fits fewer than need - 1 others cannot be among them and is dropped. The last three levels
 * are counted by bits, never visited.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t u64;
#define ROOT 6
#define count_of __builtin_popcountll
#define lowest __builtin_ctzll

static int third[81][81], target;
static u64 third_bit[64][64], fits[24][64], found;

static u64 pairs(u64 rest, const u64 *fit) {
    u64 n = 0;
    for (; rest; rest &= rest - 1) n += count_of(fit[lowest(rest)] & (rest & (rest - 1)));
    return n;
}

static u64 triples(u64 rest, const u64 *fit) {
    u64 n = 0;
    for (; rest; rest &= rest - 1) {
        int a = lowest(rest);
        u64 after_a = fit[a] & (rest & (rest - 1));
        for (u64 y = after_a; y; y &= y - 1) {
            int b = lowest(y);
            n += count_of(fit[b] & (y & (y - 1)) & ~third_bit[a][b]);
        }
    }
    return n;
}

static void walk(int size, u64 remaining, int need) {
    const u64 *fit = fits[size];
    u64 *below = fits[size + 1];
    if (need <= 3) {
        found += need == 3 ? triples(remaining, fit) : need == 2 ? pairs(remaining, fit) : (u64)count_of(remaining);
        return;
    }
    for (u64 rest = remaining; count_of(rest) >= need; rest &= rest - 1) {
        int card = lowest(rest);
        u64 left = fit[card] & (rest & (rest - 1)), drop = 0;
        if (count_of(left) < need - 1) continue;
        for (u64 y = left; y; y &= y - 1) {
            int a = lowest(y);
            below[a] = fit[a] & left & ~third_bit[card][a];
            if (count_of(below[a]) < need - 2) drop |= 1ull << a;
        }
        while (drop && count_of(left & ~drop) >= need - 1) {
            left &= ~drop;
            drop = 0;
            for (u64 y = left; y; y &= y - 1)
                if (count_of(below[lowest(y)] & left) < need - 2) drop |= 1ull << lowest(y);
        }
        if (!drop) walk(size + 1, left, need - 1);
    }
}

/* Counts below the hand. */
static void count_below(const unsigned char *hand) {
    int chosen[81] = {0}, excluded[81] = {0}, local[81], card[64], many = 0;
    for (int i = 0; i < ROOT; i++) chosen[hand[i]] = 1;
    for (int i = 0; i < ROOT; i++)
        for (int j = 0; j < i; j++) {
            excluded[third[hand[i]][hand[j]]] = 1;
            if (chosen[third[hand[i]][hand[j]]]) return;
        }
    memset(local, -1, sizeof local);
    for (int c = hand[ROOT - 1] + 1; c < 81; c++)
        if (!excluded[c]) {
            if (many == 64) { fprintf(stderr, "more than 64 cards remain\n"); exit(1); }
            local[c] = many;
            card[many++] = c;
        }
    if (many < target - ROOT) return;
    u64 all = many == 64 ? ~0ull : (1ull << many) - 1;
    for (int a = 0; a < many; a++) {
        fits[ROOT][a] = all & ~(1ull << a);
        for (int i = 0; i < ROOT; i++) {
            int c = third[card[a]][hand[i]];
            if (local[c] >= 0) fits[ROOT][a] &= ~(1ull << local[c]);
        }
        for (int b = 0; b < many; b++) {
            int c = third[card[a]][card[b]];
            third_bit[a][b] = a != b && local[c] >= 0 ? 1ull << local[c] : 0;
        }
    }
    walk(ROOT, all, target - ROOT);
}

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "deep FILE T\n"), 2;
    target = atoi(argv[2]);
    FILE *file = fopen(argv[1], "rb");
    if (!file) return 1;
    for (int a = 0; a < 81; a++)
        for (int b = 0; b < 81; b++)
            for (int w = 1; w < 81; w *= 3) third[a][b] += (6 - a / w % 3 - b / w % 3) % 3 * w;
    clock_t started = clock();
    unsigned char hand[ROOT];
    while (fread(hand, 1, ROOT, file) == ROOT) count_below(hand);
    printf("%llu %.6f\n", (unsigned long long)found, (double)(clock() - started) / CLOCKS_PER_SEC);
    return 0;
}
