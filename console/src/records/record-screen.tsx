import { Tabs } from '@base-ui/react/tabs'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { curlOf, send } from '../api/client.ts'
import type { FieldFacts, Resource, ResourceFields } from '../api/document.ts'
import { type Item, isItem, valueAt } from '../api/objects.ts'
import { ApiProblem } from '../api/problem.ts'
import { fillPath, listsBelow } from '../api/resources.ts'
import { FieldCell } from '../fields/field-cell.tsx'
import { nameOf } from '../fields/names.ts'
import { possibleColumns } from '../lists/columns.ts'
import { Button } from '../parts/button.tsx'
import { faultTexts } from '../parts/faults.tsx'
import { Notice } from '../parts/notice.tsx'
import parts from '../parts/parts.module.css'
import { Snippet } from '../parts/snippet.tsx'
import { fieldTitle, words } from '../words/words.ts'
import { DeleteWindow } from './delete-window.tsx'
import css from './records.module.css'

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
  if (query.isPending) return <p role="status">{words.loading}</p>
  if (query.error) return <Failure error={query.error} onRetry={query.refetch} />
  const { item, etag, body } = query.data
  const name = nameOf(item, fields.shown)
  const below = listsBelow(resource)
  return (
    <>
      <nav aria-label={resource.title}>
        <Link to="/$" params={{ _splat: listPath.slice(1) }}>
          ← {resource.title}
        </Link>
      </nav>
      <header className={css.head}>
        <div>
          <h1>{name}</h1>
          <p className={css.id}>
            <code>{String(item.id ?? '')}</code>
          </p>
        </div>
        <div className={parts.row}>
          {resource.remove && (
            <Button look="bad" onClick={() => setDeleting(true)}>
              {words.remove}
            </Button>
          )}
          {resource.update && (
            <Button look="main" onClick={onEdit}>
              {words.edit}
            </Button>
          )}
        </div>
      </header>
      <Tabs.Root defaultValue="fields">
        <Tabs.List className={css.tabs} aria-label={name}>
          {['fields', 'json', 'curl'].map((tab) => (
            <Tabs.Tab key={tab} value={tab} className={css.tab}>
              {tab === 'fields' ? words.record.fields : tab === 'json' ? words.list.json : words.list.curl}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="fields">
          <Values item={item} shown={fields.shown} near={itemPath} />
        </Tabs.Panel>
        <Tabs.Panel value="json">
          <Snippet text={JSON.stringify(body, null, 2)} label={words.list.json} />
        </Tabs.Panel>
        <Tabs.Panel value="curl">
          <Snippet text={curlOf({ path: itemPath })} label={words.list.curl} />
        </Tabs.Panel>
      </Tabs.Root>
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
      {resource.remove && (
        <DeleteWindow
          {...{ name, itemPath, etag, isDeleting, onDeleted }}
          hasVersion={resource.remove.ifMatch}
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
