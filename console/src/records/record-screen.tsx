import { Tabs } from '@base-ui/react/tabs'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { curlOf, send } from '../api/client.ts'
import type { FieldFacts, Resource, ResourceFields } from '../api/document.ts'
import { type Item, isItem, valueAt } from '../api/objects.ts'
import { ApiProblem } from '../api/problem.ts'
import { fillPath, isSingle, listsBelow } from '../api/resources.ts'
import { useRights } from '../api/rights.ts'
import { FieldCell } from '../fields/field-cell.tsx'
import { nameOf } from '../fields/names.ts'
import { possibleColumns } from '../lists/columns.ts'
import { useActions } from '../parts/actions.ts'
import { Button } from '../parts/button.tsx'
import { faultTexts } from '../parts/faults.tsx'
import { Notice } from '../parts/notice.tsx'
import parts from '../parts/parts.module.css'
import { Snippet } from '../parts/snippet.tsx'
import { fieldTitle, words } from '../words/words.ts'
import { Deeds } from './deeds.tsx'
import { DeleteWindow } from './delete-window.tsx'
import { FilePreview } from './file-preview.tsx'
import css from './records.module.css'

const History = lazy(() => import('./history.tsx').then(({ History }) => ({ default: History })))

export interface RecordScreenProps {
  readonly resource: Resource
  readonly fields: ResourceFields
  readonly listPath: string
  readonly itemPath: string
  onEdit(): void
  onDeleted(): void
}

/** The query of one object, which its page and its form share. */
export const itemQuery = (itemPath: string) => ({
  queryKey: ['item', itemPath],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const { body, etag } = await send({ path: itemPath, signal })
    const data = valueAt(body, 'data')
    return { body, etag, item: isItem(data) ? data : {} }
  },
})

/** One object: its fields, its JSON, the request that reads it, and the lists of what belongs to it. */
export function RecordScreen({ resource, fields, listPath, itemPath, onEdit, onDeleted }: RecordScreenProps) {
  const query = useQuery(itemQuery(itemPath))
  const [isDeleting, setDeleting] = useState(false)
  const rights = useRights()
  const { update, remove } = resource
  const mayEdit = update !== undefined && rights.may(update.right)
  const mayDelete = remove !== undefined && rights.may(remove.right)
  useActions([
    ...(mayEdit ? [{ title: words.edit, keys: 'e', run: onEdit }] : []),
    ...(mayDelete ? [{ title: words.remove, run: () => setDeleting(true) }] : []),
  ])
  if (query.isPending) return <p role="status">{words.loading}</p>
  if (query.error) return <Failure error={query.error} onRetry={query.refetch} />
  const { item, etag, body } = query.data
  const name = isSingle(resource) ? resource.title : nameOf(item, fields.shown)
  const below = listsBelow(resource).filter(({ right }) => rights.may(right))
  return (
    <>
      {!isSingle(resource) && (
        <nav aria-label={resource.title}>
          <Link to="/$" params={{ _splat: listPath.slice(1) }}>
            {words.record.back} {resource.title}
          </Link>
        </nav>
      )}
      <header className={css.head}>
        <div>
          <h1>{name}</h1>
          {!isSingle(resource) && (
            <p className={css.id}>
              <code>{String(item.id ?? '')}</code>
            </p>
          )}
        </div>
        <div className={parts.row}>
          {mayDelete && (
            <Button look="bad" onClick={() => setDeleting(true)}>
              {words.remove}
            </Button>
          )}
          {mayEdit && (
            <Button look="main" onClick={onEdit}>
              {words.edit}
            </Button>
          )}
        </div>
      </header>
      {(update || remove) && !mayEdit && !mayDelete && rights.role && (
        <p className={css.id}>{words.rights.mayNotChange(rights.role)}</p>
      )}
      <Tabs.Root defaultValue="fields">
        <Tabs.List className={css.tabs} aria-label={name}>
          {Object.entries(tabs()).map(([tab, title]) => (
            <Tabs.Tab key={tab} value={tab} className={css.tab}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="fields">
          <FilePreview item={item} />
          <Values item={item} shown={fields.shown} near={itemPath} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <Suspense fallback={<p role="status">{words.loading}</p>}>
            <History id={String(item.id ?? '')} type={String(item.type ?? '')} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="json">
          <Snippet text={JSON.stringify(body, null, 2)} label={words.list.json} />
        </Tabs.Panel>
        <Tabs.Panel value="curl">
          <Snippet text={curlOf({ path: itemPath })} label={words.list.curl} />
        </Tabs.Panel>
      </Tabs.Root>
      <Deeds {...{ fields, item, itemPath, etag, name }} />
      {below.length > 0 && (
        <section aria-labelledby="below">
          <h2 id="below">{words.record.related}</h2>
          <ul className={css.below}>
            {below.map((one) => (
              <li key={one.id}>
                <Link to="/$" params={{ _splat: fillPath(one.path, itemPath).slice(1) }}>
                  {one.title}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      {remove && (
        <DeleteWindow
          {...{ name, itemPath, etag, isDeleting, onDeleted }}
          write={remove}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  )
}

interface ValuesProps {
  readonly item: Item
  readonly shown: readonly FieldFacts[]
  /** The path of the object. */
  readonly near: string
}

const tabs = () => ({
  fields: words.record.fields,
  history: words.history.title,
  json: words.list.json,
  curl: words.list.curl,
})

/** The fields of an object in the order of the document, then those that it does not know. */
function Values({ item, shown, near }: ValuesProps) {
  const paths = possibleColumns(shown, [item]).filter((path) => valueAt(item, path) !== undefined)
  return (
    <dl className={css.values}>
      {paths.map((path) => {
        const field = shown.find((one) => one.path === path)
        return (
          <div key={path}>
            <dt>{fieldTitle(path)}</dt>
            <dd>
              <FieldCell {...{ item, path, field, near }} />
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

function Failure({ error, onRetry }: { readonly error: Error; onRetry(): void }) {
  const isGone = error instanceof ApiProblem && error.status === 404
  const { failed, gone, goneAbout } = words.record
  if (isGone) return <Notice sign="∅" title={gone} about={goneAbout} />
  return (
    <Notice sign="⚠" title={failed} about={faultTexts(error).join(' ')}>
      <Button onClick={onRetry}>{words.retry}</Button>
    </Notice>
  )
}
