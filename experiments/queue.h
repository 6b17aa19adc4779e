/* What the campaigns share: runs by their number, taken by two threads as these are free. */
#ifndef EXPERIMENTS_QUEUE_H
#define EXPERIMENTS_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct queue {
    void (*go)(void *user, int at);
    void *user;
    int count;
    atomic_int next;
} queue;

static inline void *queue_work(void *arg)
{
    queue *q = arg;
    for (int at; (at = atomic_fetch_add(&q->next, 1)) < q->count;) {
        q->go(q->user, at);
        if (at % 100 == 0)
            fprintf(stderr, "\rcampaign: %d of %d runs ", at, q->count);
    }
    return NULL;
}

static inline void queue_run(void (*go)(void *user, int at), void *user, int count)
{
    queue q = { .go = go, .user = user, .count = count };
    pthread_t other;
    const bool two = pthread_create(&other, NULL, queue_work, &q) == 0;
    queue_work(&q);
    if (two)
        pthread_join(other, NULL);
}

#endif
