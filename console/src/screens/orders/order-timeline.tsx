import { useInfiniteQuery } from '@tanstack/react-query'
import { readHistory } from '../../api/audit.ts'
import type { FieldFacts } from '../../api/document.ts'
import { useRights } from '../../api/rights.ts'
import { Money } from '../../fields/money.tsx'
import { Time } from '../../fields/time.tsx'
import { Button } from '../../parts/button.tsx'
import { faultTexts } from '../../parts/faults.tsx'
import { AuthorLink } from '../../records/author-link.tsx'
import { ChangeTable } from '../../records/change-table.tsx'
import { choiceLabel, labelOf } from '../../words/labels.ts'
import { screenWords, words } from '../../words/words.ts'
import css from './orders.module.css'
import { type Said, type TimelineStep, timelineOf } from './timeline.ts'

interface OrderTimelineProps {
  /** The order, and its payments. */
  readonly ids: readonly string[]
  readonly shown: readonly FieldFacts[]
}

/** What happened to an order and its payments, by whom. */
export function OrderTimeline({ ids, shown }: OrderTimelineProps) {
  const { timeline } = screenWords.orders
  const rights = useRights()
  const mayRead = rights.may('read changes')
  const query = useInfiniteQuery({
    queryKey: ['item', 'history', ...ids],
    queryFn: ({ pageParam, signal }) => readHistory(ids, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    enabled: mayRead,
  })
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">{timeline.title}</h2>
      {!mayRead && rights.role && (
        <p className={css.dim}>{words.rights.missing('read changes', rights.role)}</p>
      )}
      {query.error && <p role="alert">{faultTexts(query.error).join(' ')}</p>}
      {mayRead && query.isPending && <p role="status">{words.loading}</p>}
      <ol className={css.timeline}>
        {timelineOf(entries).map((step) => (
          <Step key={step.key} {...{ step, shown }} />
        ))}
      </ol>
      {query.hasNextPage && (
        <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {words.history.older}
        </Button>
      )}
    </section>
  )
}

function Step({ step, shown }: { readonly step: TimelineStep; readonly shown: readonly FieldFacts[] }) {
  const { timeline } = screenWords.orders
  const changes = step.entries.flatMap((entry) =>
    entry.changes.length ? [{ entry, changes: entry.changes.filter(isForPeople) }] : [],
  )
  const n = changes.reduce((sum, one) => sum + one.changes.length, 0)
  return (
    <li>
      <p>
        <AuthorLink author={step.author} />{' '}
        {step.said.length
          ? step.said.map((said, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name, and do not move.
              <span key={i}>
                {i > 0 && ', '}
                <Sentence said={said} />
              </span>
            ))
          : labelOf(step.entries[0]?.event ?? '')}
      </p>
      <p className={css.dim}>
        <Time iso={step.at} />
      </p>
      {n > 0 && (
        <details>
          <summary>{words.history.values(n)}</summary>
          {changes.map(({ entry, changes }) => (
            <div key={entry.position}>
              <h3>{entry.type === 'transaction' ? timeline.ofPayment : timeline.ofOrder}</h3>
              <ChangeTable {...{ changes, shown }} item={entry.after} />
            </div>
          ))}
        </details>
      )}
    </li>
  )
}

/** The same value under an older name. */
const isForPeople = ({ path }: { readonly path: string }) => path !== 'transaction-type'

function Sentence({ said: { what, amount, name } }: { readonly said: Said }) {
  const text = screenWords.orders.timeline.said[what]
  return (
    <>
      {text}
      {amount && (
        <>
          {' '}
          <Money {...amount} />
        </>
      )}
      {name && (
        <>
          {' '}
          (<bdi>{choiceLabel(name)}</bdi>)
        </>
      )}
    </>
  )
}
