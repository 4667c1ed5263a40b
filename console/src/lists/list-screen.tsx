import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { curlOf, send } from '../api/client.ts'
import type { Resource, ResourceFields } from '../api/document.ts'
import { pageIn } from '../api/objects.ts'
import { creatorOf } from '../api/resources.ts'
import { useRights } from '../api/rights.ts'
import { useActions } from '../parts/actions.ts'
import { Button } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { Snippet } from '../parts/snippet.tsx'
import { Window } from '../parts/window.tsx'
import { readScreenWords, words } from '../words/words.ts'
import { type ListSearch, lastReachable, limitOf, listRequest } from './address.ts'
import type { ChangeMany } from './change-many.ts'
import { countMax, useChanges } from './changes.ts'
import { ColumnChoice } from './column-choice.tsx'
import { possibleColumns, usualColumns } from './columns.ts'
import { useDensity } from './density.ts'
import { FilterBar } from './filter-bar.tsx'
import { keepColumns, keptColumns } from './kept-columns.ts'
import { Emptiness, Failure } from './list-notices.tsx'
import css from './lists.module.css'
import { Pager } from './pager.tsx'
import { moveFocus, toggleFocused } from './row-keys.ts'
import { Rows } from './rows.tsx'
import { useSelection } from './selection.ts'
import { SelectionBar } from './selection-bar.tsx'

const ExportWindow = lazy(() =>
  import('./export-window.tsx').then(({ ExportWindow }) => ({ default: ExportWindow })),
)
const PlaceWindow = lazy(() =>
  import('./place-window.tsx').then(({ PlaceWindow }) => ({ default: PlaceWindow })),
)
const WalkWindow = lazy(async () => {
  const [{ WalkWindow }] = await Promise.all([import('./walk-window.tsx'), readScreenWords()])
  return { default: WalkWindow }
})
const BulkWindow = lazy(() => import('./bulk-window.tsx').then(({ BulkWindow }) => ({ default: BulkWindow })))

export interface ListScreenProps {
  readonly resource: Resource
  readonly fields: ResourceFields
  readonly listPath: string
  readonly search: ListSearch
  onSearch(change: Partial<Record<keyof ListSearch, string | number | undefined>>): void
  /** What can be done with the list as a whole. */
  readonly children?: ReactNode
  /** How its objects are changed at once; undefined if they cannot be. */
  readonly changeMany?: ChangeMany | undefined
  /** Opens the form of a new object in another list. */
  onCreateIn(listPath: string): void
  /** Opens another screen. */
  onGo(path: string): void
}

/** The list of a resource, by its declaration alone. */
export function ListScreen(props: ListScreenProps) {
  const { resource, fields, listPath, search, onSearch, onCreateIn, changeMany, onGo } = props
  const path = listRequest(listPath, search, resource)
  const rights = useRights()
  const changes = useChanges(resource, listPath)
  const query = useQuery({
    queryKey: ['list', path],
    queryFn: async ({ signal }) => {
      const position = await changes.position(signal).catch(() => undefined)
      const { body } = await send({ path, signal })
      return { body, page: pageIn(body), position }
    },
    // The rows of another list are not those of this one.
    placeholderData: (previous, last) =>
      String(last?.queryKey[1]).startsWith(`${listPath}?`) ? keepPreviousData(previous) : undefined,
  })
  const selection = useSelection(listPath)
  const [kept, setKept] = useState(() => keptColumns(resource.id))
  const [density, setDensity] = useDensity()
  const [opened, setOpened] = useState<'curl' | 'json' | 'export' | 'walk' | 'bulk' | 'change' | 'place'>()
  const close = () => setOpened(undefined)
  const table = useRef<HTMLElement>(null)
  const { rows = [], total } = query.data?.page ?? {}
  const limit = limitOf(search)
  const page = search.page ?? 1
  const columns =
    search.columns?.split(',') ??
    kept ??
    (fields.shown.length > 1 ? usualColumns(fields.shown) : possibleColumns(fields.shown, rows))
  const elsewhere = [...selection.selected].filter((id) => !rows.some((row) => row.id === id)).length
  const changed = changes.after(query.data?.position)
  const mayDelete = resource.remove !== undefined && rights.may(resource.remove.right)
  const lacking = changeMany?.rights.find((right) => !rights.may(right))
  const mayChange = changeMany !== undefined && lacking === undefined
  const creator = creatorOf(resource)
  const mayCreate = creator?.create !== undefined && rights.may(creator.create.right)
  const mayRead = rights.may(resource.right)
  const mayExport = mayRead && !resource.isWhole
  const titles = { export: words.export.title, walk: words.list.walk }
  const writes = [resource.create, resource.update, resource.remove].flatMap((one) => one ?? [])
  const isReadOnly = mayRead && writes.length > 0 && !writes.some(({ right }) => rights.may(right))
  const setFilter = (filter: string) => onSearch({ filter: filter || undefined, page: undefined })
  const create = () => (resource.create ? onSearch({ form: 'new' }) : setOpened('place'))
  useActions([
    ...(mayCreate ? [{ title: words.list.createOne(creator.noun[0]), keys: 'n', run: create }] : []),
    { title: words.list.moveRow, keys: 'j', run: () => moveFocus(table.current, 1) },
    { title: words.list.moveRowBack, keys: 'k', run: () => moveFocus(table.current, -1) },
    { title: words.list.selectRow, keys: 'x', run: () => toggleFocused(table.current) },
    ...(mayExport
      ? (['export', 'walk'] as const).map((one) => ({ title: titles[one], run: () => setOpened(one) }))
      : []),
    ...(mayChange ? [{ title: words.list.changeMany, run: () => setOpened('change') }] : []),
    { title: words.list.curl, run: () => setOpened('curl') },
  ])
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
            {...{ columns, density }}
            shown={fields.shown}
            possible={possibleColumns(fields.shown, rows)}
            onColumns={(chosen) => {
              setKept(chosen)
              keepColumns(resource.id, chosen)
              onSearch({ columns: chosen?.join(',') })
            }}
            onDensity={setDensity}
          />
          {mayExport && <Button onClick={() => setOpened('export')}>{titles.export}</Button>}
          {mayExport && <Button onClick={() => setOpened('walk')}>{titles.walk}</Button>}
          {mayChange && rows.length > 0 && selection.selected.size === 0 && (
            <Button onClick={() => setOpened('change')}>{words.list.changeMany}</Button>
          )}
          <Button onClick={() => setOpened('curl')}>{words.list.curl}</Button>
          <Button onClick={() => setOpened('json')} disabled={!query.data}>
            {words.list.json}
          </Button>
          {mayCreate && (
            <Button look="main" onClick={create}>
              {words.list.createOne(creator.noun[0])}
            </Button>
          )}
        </div>
      </header>
      <Suspense>{props.children}</Suspense>
      {isReadOnly && rights.role && <p className={css.reason}>{words.rights.mayNotChange(rights.role)}</p>}
      <FilterBar resource={resource} filter={search.filter ?? ''} onFilter={setFilter} />
      <p className={css.changes} role="status">
        {changed > 0 && (
          <button type="button" className={css.show} onClick={() => void query.refetch()}>
            <span aria-hidden="true" className={css.dot} />
            {words.list.changes(changed, changed === countMax)}
          </button>
        )}
      </p>
      {selection.selected.size > 0 && (
        <SelectionBar
          {...{ resource, listPath, search, total, elsewhere, mayDelete, mayChange }}
          selected={selection.selected}
          whyNoChange={
            lacking && rights.role && !isReadOnly ? words.rights.missing(lacking, rights.role) : undefined
          }
          onSelect={selection.set}
          onClear={selection.clear}
          onFilter={setFilter}
          onDelete={() => setOpened('bulk')}
          onChangeMany={() => setOpened('change')}
        />
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
          {...{ resource, listPath, rows, columns, density }}
          ref={table}
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
          reach={lastReachable(resource, limit)}
          onPage={(next) => onSearch({ page: next > 1 ? next : undefined })}
          onLimit={(next) => onSearch({ limit: next, page: undefined })}
        />
      )}
      {(opened === 'curl' || opened === 'json') && (
        <Window title={words.list[opened]} isOpen isWide onClose={close}>
          <Snippet
            label={resource.title}
            text={opened === 'curl' ? curlOf({ path }) : JSON.stringify(query.data?.body, null, 2)}
          />
          <div className={parts.actions}>
            <Button onClick={close}>{words.close}</Button>
          </div>
        </Window>
      )}
      <Suspense>
        {opened === 'export' && <ExportWindow {...{ resource, listPath, search, total }} onClose={close} />}
        {opened === 'walk' && (
          <WalkWindow {...{ resource, listPath, total }} filter={search.filter} onClose={close} />
        )}
        {opened === 'place' && creator && (
          <PlaceWindow creator={creator} onPlace={onCreateIn} onClose={close} />
        )}
        {opened === 'change' && changeMany && (
          <changeMany.Window
            {...{ resource, fields, listPath, total }}
            filter={search.filter}
            ids={[...selection.selected]}
            onStarted={onGo}
            onClose={close}
          />
        )}
        {opened === 'bulk' && (
          <BulkWindow
            {...{ resource, listPath }}
            ids={[...selection.selected]}
            onDeleted={(gone) => {
              selection.set(gone, false)
              void query.refetch()
            }}
            onClose={close}
          />
        )}
      </Suspense>
    </>
  )
}
