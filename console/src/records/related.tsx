import { Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { Resource, ResourceFields } from '../api/document.ts'
import { type Item, valueAt } from '../api/objects.ts'
import { resourceOf } from '../api/resources.ts'
import { useRights } from '../api/rights.ts'
import { FieldCell } from '../fields/field-cell.tsx'
import { titleOf } from '../fields/names.ts'
import { cardColumns, usualColumns } from '../lists/columns.ts'
import lists from '../lists/lists.module.css'
import { RowHead } from '../lists/row-head.tsx'
import { RowNamesOf } from '../lists/row-names.tsx'
import { Button } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { words } from '../words/words.ts'
import css from './records.module.css'
import { type RelatedList, type RelatedRows, relatedLists, useRelated } from './related-lists.ts'

const PlaceWindow = lazy(() =>
  import('../lists/place-window.tsx').then(({ PlaceWindow }) => ({ default: PlaceWindow })),
)
const JoinWindow = lazy(() => import('./join-window.tsx').then(({ JoinWindow }) => ({ default: JoinWindow })))

interface RelatedProps {
  readonly resource: Resource
  readonly fields: ResourceFields
  readonly item: Item
  readonly itemPath: string
}

/** What belongs to an object: the first of each kind, with the way to all of them, and to a new one. */
export function Related({ resource, fields, item, itemPath }: RelatedProps) {
  const rights = useRights()
  const some = relatedLists(resource, fields, item, itemPath).filter((one) => rights.may(one.resource.right))
  return some.map((list) => (
    <RelatedPanel key={list.listPath + list.resource.id} {...{ list, resource, item, itemPath }} />
  ))
}

const columnsMax = 4

interface PanelProps {
  readonly list: RelatedList
  readonly resource: Resource
  readonly item: Item
  readonly itemPath: string
}

function RelatedPanel({ list, resource, item, itemPath }: PanelProps) {
  const rights = useRights()
  const navigate = useNavigate()
  const [opened, setOpened] = useState<'place' | 'join'>()
  const close = () => setOpened(undefined)
  const { data, error } = useRelated(list, String(item.id))
  const { title, creator, preset, join, filter, listPath } = list
  const mayCreate = creator?.create !== undefined && rights.may(creator.create.right)
  const mayJoin = join !== undefined && rights.may(join.write.right)
  // What cannot be counted is not shown; nor what is not there and cannot be added.
  if (data === null || (error && !mayCreate) || (data?.rows.length === 0 && !mayCreate && !mayJoin))
    return null
  const heading = words.related.title(title, resource.noun[0])
  const openForm = (path: string) =>
    navigate({
      to: '/$',
      params: { _splat: path.slice(1) },
      search: {
        form: 'new' as const,
        back: itemPath,
        ...(preset && { preset: preset.path, value: preset.value }),
      },
    })
  const path = creator && (creator.path.includes('{') ? listPath : creator.path)
  const isPlaced = path !== undefined && creator !== undefined && isListOf(creator, path)
  return (
    <section aria-label={heading} className={css.panel}>
      <header className={css.panelHead}>
        <h2>
          {heading} {data?.total !== undefined && <span className={css.id}>{words.number(data.total)}</span>}
        </h2>
        <div className={parts.row}>
          {data && (data.total ?? 0) > data.rows.length && (
            <Link to="/$" params={{ _splat: listPath.slice(1) }} search={filter ? { filter } : {}}>
              {words.related.all}
            </Link>
          )}
          {mayJoin && (
            <Button onClick={() => setOpened('join')}>
              {words.related.addTo(resourceOf(join.to)?.noun[0] ?? '')}
            </Button>
          )}
          {mayCreate && (
            <Button onClick={() => (isPlaced ? void openForm(path) : setOpened('place'))}>
              {words.list.createOne(creator.noun[0])}
            </Button>
          )}
        </div>
      </header>
      {data && <RelatedTable {...{ list, data }} label={heading} id={String(item.id)} />}
      <Suspense>
        {opened === 'place' && creator && (
          <PlaceWindow creator={creator} onPlace={(chosen) => void openForm(chosen)} onClose={close} />
        )}
        {opened === 'join' && join && <JoinWindow {...{ join, item }} onClose={close} />}
      </Suspense>
    </section>
  )
}

/** Whether a path leads to a list without a parent that has yet to be chosen. */
const isListOf = ({ path }: Resource, filled: string): boolean =>
  !filled.includes('{') && path.split('/').length === filled.split('/').length

interface TableProps {
  readonly list: RelatedList
  readonly data: RelatedRows
  readonly label: string
  /** That of the object of the page. */
  readonly id: string
}

function RelatedTable({ list: { resource, listPath }, data: { rows, fields }, label, id }: TableProps) {
  const { shown } = fields
  if (rows.length === 0) return <p className={css.id}>{words.related.none}</p>
  // All of them refer to the object of the page.
  const isSaid = (path: string) => rows.every((row) => valueAt(row, path) === id)
  const columns = usualColumns(shown.filter(({ path }) => !isSaid(path))).slice(0, columnsMax)
  const onCard = cardColumns(columns, shown)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    // biome-ignore lint/a11y/useSemanticElements: it is no region beside that of the panel, and no group of fields.
    <div role="group" className={lists.scroller} tabIndex={0} aria-label={label}>
      <table className={`${lists.table} ${css.related}`}>
        <thead>
          <tr>
            {columns.map((path) => (
              <th key={path} scope="col">
                {titleOf(path, shown)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <RowNamesOf {...{ rows, shown, columns }} near={listPath}>
            {rows.map((row) => (
              <tr key={String(row.id)}>
                {columns.map((path, i) =>
                  i === 0 ? (
                    <th key={path} scope="row">
                      <RowHead {...{ resource, listPath, row, shown, path }} />
                    </th>
                  ) : (
                    <td
                      key={path}
                      data-label={titleOf(path, shown)}
                      data-card={onCard.has(path) || undefined}
                    >
                      <FieldCell
                        {...{ item: row, path, near: listPath }}
                        field={shown.find((one) => one.path === path)}
                      />
                    </td>
                  ),
                )}
              </tr>
            ))}
          </RowNamesOf>
        </tbody>
      </table>
    </div>
  )
}
