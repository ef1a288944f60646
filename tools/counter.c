/* A plain depth-first counter of no-set lists, to measure the kernels against.
 *
 * The design's algorithm, nothing else: 81 bits in two words; for each depth d and card c the set
 * forbidden[d][c] of cards that c would forbid together with the d cards chosen so far; a child's remaining
 * cards are the cards above it that are not forbidden; a list is kept if enough cards remain to it.
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
static u64 third_bit[81][81][2], forbidden[22][81][2], below[22][2], found;
static int target, size, visit;

static int third(int a, int b) {
    int card = 0;
    for (int weight = 1; weight < 81; weight *= 3)
        card += (6 - a / weight % 3 - b / weight % 3) % 3 * weight;
    return card;
}

static void descend(int depth, int card, u64 low, u64 high) {
    u64 rest = low;
    below[depth][0] = low, below[depth][1] = high;
    for (; rest; rest &= rest - 1) {
        int c = __builtin_ctzll(rest);
        forbidden[depth][c][0] = forbidden[depth - 1][c][0] | third_bit[card][c][0];
        forbidden[depth][c][1] = forbidden[depth - 1][c][1] | third_bit[card][c][1];
    }
    for (rest = high; rest; rest &= rest - 1) {
        int c = 64 + __builtin_ctzll(rest);
        forbidden[depth][c][0] = forbidden[depth - 1][c][0] | third_bit[card][c][0];
        forbidden[depth][c][1] = forbidden[depth - 1][c][1] | third_bit[card][c][1];
    }
}

static void walk(int depth, u64 low, u64 high) {
    int need = target - depth - 1;
    while (low | high) {
        int card;
        if (low) card = __builtin_ctzll(low), low &= low - 1;
        else card = 64 + __builtin_ctzll(high), high &= high - 1;
        u64 l = low & ~forbidden[depth][card][0], h = high & ~forbidden[depth][card][1];
        int remaining = __builtin_popcountll(l) + __builtin_popcountll(h);
        if (depth < 2 ? 0 : depth == 2 ? card >= 81 - (target - 3) : remaining < need) continue;
        if (depth + 1 == visit) {
            if (visit == size) found++;
            else found += remaining;
        } else {
            descend(depth + 1, card, l, h);
            walk(depth + 1, l, h);
        }
    }
}

int main(int argc, char **argv) {
    int tree = argc == 4 && !strcmp(argv[1], "tree");
    if (!tree && !(argc == 6 && !strcmp(argv[1], "from"))) return 2;
    target = atoi(argv[argc - 2]), size = atoi(argv[argc - 1]);
    visit = size >= target ? size - 1 : size;
    for (int a = 0; a < 81; a++)
        for (int b = 0; b < 81; b++) third_bit[a][b][third(a, b) >> 6] |= 1ull << (third(a, b) & 63);
    below[0][0] = ~0ull, below[0][1] = (1ull << 17) - 1;
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
    clock_t start = clock();
    if (tree) walk(0, below[0][0], below[0][1]);
    for (long i = 0; i < count; i++) {
        unsigned char *list = lists + i * n;
        int depth = 0;
        if (i) while (depth < n && list[depth] == list[depth - n]) depth++;
        for (; depth < n; depth++) {
            int card = list[depth];
            u64 low = below[depth][0], high = below[depth][1];
            low &= card < 63 ? ~0ull << (card + 1) : 0;
            high &= card < 64 ? ~0ull : ~0ull << (card - 63);
            descend(depth + 1, card, low & ~forbidden[depth][card][0], high & ~forbidden[depth][card][1]);
        }
        walk(n, below[n][0], below[n][1]);
    }
    printf("%llu %.6f\n", (unsigned long long)found, (double)(clock() - start) / CLOCKS_PER_SEC);
    return 0;
}
