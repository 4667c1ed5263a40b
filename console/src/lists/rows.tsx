import { Fragment, type Ref } from 'react'
import type { FieldFacts, Resource } from '../api/document.ts'
import { useDrafts } from '../api/drafts.ts'
import type { Item } from '../api/objects.ts'
import { FieldCell } from '../fields/field-cell.tsx'
import { nameOf, titleOf } from '../fields/names.ts'
import { DraftMark } from '../parts/draft-mark.tsx'
import { words } from '../words/words.ts'
import { cardColumns, sortFieldOf } from './columns.ts'
import type { Density } from './density.ts'
import css from './lists.module.css'
import { RowHead } from './row-head.tsx'
import { RowNamesOf } from './row-names.tsx'

interface RowsProps {
  readonly resource: Resource
  readonly listPath: string
  readonly rows: readonly Item[]
  readonly shown: readonly FieldFacts[]
  readonly columns: readonly string[]
  readonly sort: string
  readonly isStale: boolean
  readonly density: Density
  readonly ref: Ref<HTMLElement>
  readonly selected: ReadonlySet<string>
  onSort(sort: string): void
  onSelect(ids: readonly string[], isSelected: boolean): void
}

/** The rows of a page. On a narrow screen each is a card. */
export function Rows(props: RowsProps) {
  const { rows, shown, columns, selected, onSelect } = props
  const ids = rows.map(({ id }) => String(id))
  const isWhole = ids.length > 0 && ids.every((id) => selected.has(id))
  const onCard = cardColumns(columns, shown)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard.
    <section ref={props.ref} className={css.scroller} tabIndex={0} aria-label={props.resource.title}>
      <table
        className={css.table}
        data-density={props.density}
        data-stale={props.isStale || undefined}
        aria-busy={props.isStale}
      >
        <thead>
          <tr>
            <td className={css.check}>
              <input
                type="checkbox"
                aria-label={words.list.selectPage}
                checked={isWhole}
                onChange={() => onSelect(ids, !isWhole)}
              />
            </td>
            {columns.map((path) => (
              <ColumnHead key={path} {...props} path={path} />
            ))}
          </tr>
        </thead>
        <tbody>
          <RowNamesOf {...{ rows, columns, shown }} near={props.listPath}>
            {rows.map((row, i) => (
              <Fragment key={String(row.id ?? i)}>
                <OneRow {...props} {...{ row, onCard }} />
              </Fragment>
            ))}
          </RowNamesOf>
        </tbody>
      </table>
    </section>
  )
}

function ColumnHead({ path, resource, shown, sort, onSort }: RowsProps & { readonly path: string }) {
  const field = sortFieldOf(path, resource.sort)
  const title = titleOf(path, shown)
  if (!field) return <th scope="col">{title}</th>
  const isSorted = sort.replace('-', '') === field
  const isDescending = sort.startsWith('-')
  return (
    <th scope="col" aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : 'none'}>
      <button
        type="button"
        title={words.list.sortBy(title)}
        onClick={() => onSort(isSorted && !isDescending ? `-${field}` : field)}
      >
        {title}
        <span aria-hidden="true">{isSorted ? (isDescending ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </th>
  )
}

function OneRow({
  row,
  resource,
  listPath,
  shown,
  columns,
  selected,
  onSelect,
  onCard,
}: RowsProps & { readonly row: Item; readonly onCard: ReadonlySet<string> }) {
  const id = String(row.id)
  const hasDraft = useDrafts().some(({ path }) => path === `${listPath}/${id}`)
  return (
    <tr aria-selected={selected.has(id)}>
      <td className={css.check}>
        <input
          type="checkbox"
          aria-label={words.list.select(nameOf(row, shown))}
          checked={selected.has(id)}
          onChange={({ target }) => onSelect([id], target.checked)}
        />
      </td>
      {columns.map((path, i) =>
        i === 0 ? (
          <th key={path} scope="row">
            <RowHead {...{ resource, listPath, row, shown, path }} />
            {hasDraft && <DraftMark isNamed />}
          </th>
        ) : (
          <td key={path} data-label={titleOf(path, shown)} data-card={onCard.has(path) || undefined}>
            <FieldCell
              {...{ item: row, path }}
              field={shown.find((one) => one.path === path)}
              near={listPath}
            />
          </td>
        ),
      )}
    </tr>
  )
}
