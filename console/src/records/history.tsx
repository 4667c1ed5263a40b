import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { readBulkChanges, readHistory } from '../api/audit.ts'
import type { FieldFacts } from '../api/document.ts'
import type { HistoryEntry } from '../api/history-entry.ts'
import { useRights } from '../api/rights.ts'
import { Time } from '../fields/time.tsx'
import { Button } from '../parts/button.tsx'
import { faultTexts } from '../parts/faults.tsx'
import { Notice } from '../parts/notice.tsx'
import { labelOf } from '../words/labels.ts'
import { words } from '../words/words.ts'
import { AuthorLink } from './author-link.tsx'
import { ChangeTable } from './change-table.tsx'
import css from './records.module.css'

interface HistoryProps {
  readonly id: string
  /** The kind of the object. Others that have the same id are named by theirs. */
  readonly type: string
  readonly shown: readonly FieldFacts[]
}

/** Who changed an object, when, and what, from the audit of the store. */
export function History({ id, type, shown }: HistoryProps) {
  const { history, rights: texts } = words
  const rights = useRights()
  const mayRead = rights.may('read changes')
  const query = useInfiniteQuery({
    queryKey: ['item', 'history', id],
    queryFn: ({ pageParam, signal }) => readHistory([id], pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    enabled: mayRead,
  })
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? []
  const bulkChanges = useQuery({
    queryKey: ['item', 'bulk-changes-by-request'],
    queryFn: ({ signal }) => readBulkChanges(signal),
    enabled: rights.may('read bulk-changes') && entries.some(({ event }) => event === 'updated'),
  })
  if (!mayRead && rights.role)
    return <Notice sign="⊘" title={history.noRight} about={texts.missing('read changes', rights.role)} />
  if (query.error)
    return <Notice sign="⚠" title={words.record.failed} about={faultTexts(query.error).join(' ')} />
  if (!query.data) return <p role="status">{words.loading}</p>
  if (entries.length === 0) return <Notice sign="○" title={history.none} about={history.noneAbout} />
  return (
    <>
      <ol className={css.history}>
        {entries.map((entry) => (
          <li key={entry.position}>
            <p className={css.entryHead}>
              <AuthorLink author={entry.author} /> {history.event[entry.event] ?? labelOf(entry.event)}{' '}
              {entry.type && !isSame(entry.type, type) && `(${labelOf(entry.type)}) `}
              <Time iso={entry.at} /> <BulkLink id={bulkChanges.data?.get(entry.requestId ?? '')} />
            </p>
            <Changes {...{ entry, shown }} />
          </li>
        ))}
      </ol>
      {query.hasNextPage && (
        <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {history.older}
        </Button>
      )}
    </>
  )
}

/** The bulk change that an entry belongs to: its page says what else has changed, and puts it back. */
const BulkLink = ({ id }: { readonly id: string | undefined }) =>
  id && (
    <Link to="/$" params={{ _splat: `v2/bulk-changes/${encodeURIComponent(id)}` }}>
      {words.history.bulkChange}
    </Link>
  )

/** A member of an account is a user, and the audit has it as that. */
const isSame = (one: string, other: string) =>
  one === other || (other === 'account_member' && one === 'user_authentication_info')

interface ChangesProps extends Pick<HistoryProps, 'shown'> {
  readonly entry: HistoryEntry
}

function Changes({ entry: { event, changes, after }, shown }: ChangesProps) {
  if (changes.length === 0) return <p className={css.id}>{words.history.noFields}</p>
  if (event === 'updated') return <ChangeTable {...{ changes, shown }} item={after} />
  // All values of an object are more than its history needs to show.
  return (
    <details>
      <summary>{words.history.values(changes.length)}</summary>
      <ChangeTable {...{ changes, shown }} item={after} />
    </details>
  )
}
