import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { curlOf, send } from '../api/client.ts'
import type { Resource, ResourceFields } from '../api/document.ts'
import { pageIn } from '../api/objects.ts'
import { ApiProblem } from '../api/problem.ts'
import { Button } from '../parts/button.tsx'
import { faultTexts } from '../parts/faults.tsx'
import { Notice } from '../parts/notice.tsx'
import parts from '../parts/parts.module.css'
import { Snippet } from '../parts/snippet.tsx'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'
import { type ListSearch, limitOf, listRequest } from './address.ts'
import { ColumnChoice } from './column-choice.tsx'
import { keptColumns, possibleColumns, usualColumns } from './columns.ts'
import { FilterBar } from './filter-bar.tsx'
import css from './lists.module.css'
import { Pager } from './pager.tsx'
import { Rows } from './rows.tsx'
import { useSelection } from './selection.ts'

export interface ListScreenProps {
  readonly resource: Resource
  readonly fields: ResourceFields
  readonly listPath: string
  readonly search: ListSearch
  onSearch(change: Partial<Record<keyof ListSearch, string | number | undefined>>): void
}

/** The list of a resource, by its declaration alone. */
export function ListScreen({ resource, fields, listPath, search, onSearch }: ListScreenProps) {
  const path = listRequest(listPath, search)
  const query = useQuery({
    queryKey: ['list', path],
    queryFn: ({ signal }) => send({ path, signal }).then(({ body }) => ({ body, page: pageIn(body) })),
    // The rows of another list are not those of this one.
    placeholderData: (previous, last) =>
      String(last?.queryKey[1]).startsWith(`${listPath}?`) ? keepPreviousData(previous) : undefined,
  })
  const selection = useSelection(listPath)
  const [snippet, setSnippet] = useState<'curl' | 'json'>()
  const { rows = [], total } = query.data?.page ?? {}
  const limit = limitOf(search)
  const page = search.page ?? 1
  const columns =
    search.columns?.split(',') ??
    keptColumns(resource.id) ??
    (fields.shown.length > 1 ? usualColumns(fields.shown) : possibleColumns(fields.shown, rows))
  const elsewhere = [...selection.selected].filter((id) => !rows.some((row) => row.id === id)).length
  const setFilter = (filter: string) => onSearch({ filter: filter || undefined, page: undefined })
  return (
    <>
      <header className={css.head}>
        <div>
          <h1>{resource.title}</h1>
          <p className={css.total} aria-live="polite">
            {query.data &&
              (total === undefined ? words.list.count(rows.length) : words.list.total(total, resource.noun))}
          </p>
        </div>
        <div className={parts.row}>
          <ColumnChoice
            listId={resource.id}
            possible={possibleColumns(fields.shown, rows)}
            columns={columns}
            onColumns={(chosen) => onSearch({ columns: chosen?.join(',') })}
          />
          <Button onClick={() => setSnippet('curl')}>{words.list.curl}</Button>
          <Button onClick={() => setSnippet('json')} disabled={!query.data}>
            {words.list.json}
          </Button>
          {resource.create && (
            <Button look="main" onClick={() => onSearch({ form: 'new' })}>
              {words.list.create}
            </Button>
          )}
        </div>
      </header>
      <FilterBar resource={resource} filter={search.filter ?? ''} onFilter={setFilter} />
      {selection.selected.size > 0 && (
        <div className={css.selection} role="status">
          <span>{words.list.selected(selection.selected.size, elsewhere)}</span>
          {resource.filter.id && elsewhere > 0 && selection.selected.size <= 100 && (
            <Button onClick={() => setFilter(`in(id,${[...selection.selected].join(',')})`)}>
              {words.list.showSelected}
            </Button>
          )}
          <Button onClick={() => navigator.clipboard.writeText([...selection.selected].join('\n'))}>
            {words.list.copyIds}
          </Button>
          <Button onClick={selection.clear}>{words.list.clear}</Button>
        </div>
      )}
      {query.error && !query.isFetching ? (
        <Failure error={query.error} onRetry={query.refetch} />
      ) : query.isPending ? (
        <p role="status">{words.loading}</p>
      ) : rows.length === 0 ? (
        <Emptiness
          isBeyond={total !== undefined && total > 0}
          isFiltered={search.filter !== undefined}
          onClear={() => setFilter('')}
        />
      ) : (
        <Rows
          {...{ resource, listPath, rows, columns }}
          shown={fields.shown}
          sort={search.sort ?? resource.order ?? ''}
          isStale={query.isPlaceholderData}
          selected={selection.selected}
          onSelect={selection.set}
          onSort={(sort) => onSearch({ sort, page: undefined })}
        />
      )}
      {total !== undefined && total > 0 && (
        <Pager
          {...{ page, limit }}
          pages={Math.max(Math.ceil(total / limit), 1)}
          onPage={(next) => onSearch({ page: next > 1 ? next : undefined })}
          onLimit={(next) => onSearch({ limit: next, page: undefined })}
        />
      )}
      <Window
        title={snippet === 'curl' ? words.list.curl : words.list.json}
        isOpen={snippet !== undefined}
        isWide
        onClose={() => setSnippet(undefined)}
      >
        <Snippet
          label={resource.title}
          text={snippet === 'curl' ? curlOf({ path }) : JSON.stringify(query.data?.body, null, 2)}
        />
        <div className={parts.actions}>
          <Button onClick={() => setSnippet(undefined)}>{words.close}</Button>
        </div>
      </Window>
    </>
  )
}

function Failure({ error, onRetry }: { readonly error: Error; onRetry(): void }) {
  const isRefused = error instanceof ApiProblem && error.status === 403
  const { noRight, noRightAbout, failed } = words.list
  if (isRefused) return <Notice sign="⊘" title={noRight} about={noRightAbout} />
  return (
    <Notice sign="⚠" title={failed} about={faultTexts(error).join(' ')}>
      <Button onClick={onRetry}>{words.retry}</Button>
    </Notice>
  )
}

interface EmptinessProps {
  readonly isBeyond: boolean
  readonly isFiltered: boolean
  onClear(): void
}

function Emptiness({ isBeyond, isFiltered, onClear }: EmptinessProps) {
  const { empty, emptyAbout, beyond, beyondAbout, noMatch, noMatchAbout } = words.list
  if (isBeyond) return <Notice sign="⇥" title={beyond} about={beyondAbout} />
  if (!isFiltered) return <Notice sign="○" title={empty} about={emptyAbout} />
  return (
    <Notice sign="∅" title={noMatch} about={noMatchAbout}>
      <Button onClick={onClear}>{words.filter.clear}</Button>
    </Notice>
  )
}
