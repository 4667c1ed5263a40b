import { Tabs } from '@base-ui/react/tabs'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { curlOf, send } from '../api/client.ts'
import type { FieldFacts, Resource, ResourceFields, Write } from '../api/document.ts'
import { useObjectChanges } from '../api/object-changes.ts'
import { type Item, isItem, valueAt } from '../api/objects.ts'
import { ApiProblem } from '../api/problem.ts'
import { isSingle } from '../api/resources.ts'
import { useRights } from '../api/rights.ts'
import { FieldCell } from '../fields/field-cell.tsx'
import { nameOf, shortId, titleOf } from '../fields/names.ts'
import { sourceOf, useName } from '../fields/references.ts'
import { isEmpty, isForPrograms } from '../fields/structure.tsx'
import { possibleColumns } from '../lists/columns.ts'
import lists from '../lists/lists.module.css'
import { useActions } from '../parts/actions.ts'
import { Button } from '../parts/button.tsx'
import { faultTexts } from '../parts/faults.tsx'
import { Notice } from '../parts/notice.tsx'
import parts from '../parts/parts.module.css'
import { Snippet } from '../parts/snippet.tsx'
import { labelOf } from '../words/labels.ts'
import { words } from '../words/words.ts'
import { Deeds } from './deeds.tsx'
import { DeleteWindow } from './delete-window.tsx'
import { FilePreview } from './file-preview.tsx'
import { noParts, type RecordParts } from './record-parts.ts'
import css from './records.module.css'
import { Related } from './related.tsx'

const History = lazy(() => import('./history.tsx').then(({ History }) => ({ default: History })))

export interface RecordScreenProps {
  readonly resource: Resource
  readonly fields: ResourceFields
  readonly listPath: string
  readonly itemPath: string
  /** What it has beside what the document declares. */
  readonly more?: RecordParts | undefined
  /** The tab that is open; undefined for the first. */
  readonly tab?: string | undefined
  onTab(tab: string): void
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
export function RecordScreen(props: RecordScreenProps) {
  const { resource, fields, listPath, itemPath, more = noParts, onEdit, onDeleted } = props
  const queries = useQueryClient()
  const query = useQuery(itemQuery(itemPath))
  const [isDeleting, setDeleting] = useState(false)
  /** The version of the object at the server, when the feed has told of another. */
  const [latest, setLatest] = useState<string>()
  useObjectChanges(query.data && resource.type, String(query.data?.item.id ?? ''), async () => {
    // What was deleted meanwhile says so when it is asked for.
    const now = await send({ path: itemPath }).catch(() => undefined)
    setLatest(now ? now.etag : '')
  })
  const rights = useRights()
  const { update, remove } = resource
  const isHidden = (write: Write) => more.hides?.(write, query.data?.item ?? {}) ?? false
  const has = (write: Write | undefined) => write !== undefined && rights.may(write.right) && !isHidden(write)
  const [mayEdit, mayDelete] = [has(update), has(remove)]
  useActions([
    ...(mayEdit ? [{ title: words.edit, keys: 'e', run: onEdit }] : []),
    ...(mayDelete ? [{ title: words.remove, run: () => setDeleting(true) }] : []),
  ])
  if (query.isPending) return <p role="status">{words.loading}</p>
  if (query.error) return <Failure error={query.error} onRetry={query.refetch} />
  const { item, etag, body } = query.data
  const name = isSingle(resource) ? resource.title : nameOf(item, fields.shown)
  const all = [...more.tabs.map(({ id, title }) => [id, title()] as const), ...Object.entries(tabs())]
  const open = all.find(([id]) => id === props.tab) ?? all[0]
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
          <h1>{isSingle(resource) ? name : <Heading {...{ resource, fields, item, itemPath }} />}</h1>
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
      <p className={lists.changes} role="status">
        {latest !== undefined && latest !== etag && (
          <button
            type="button"
            className={lists.show}
            onClick={() => void queries.invalidateQueries({ queryKey: ['item'] })}
          >
            <span aria-hidden="true" className={lists.dot} />
            {words.record.changedMeanwhile}
          </button>
        )}
      </p>
      <Deeds {...{ fields, item, itemPath, etag, name, isHidden }} />
      <Tabs.Root value={open?.[0] ?? ''} onValueChange={(tab) => props.onTab(String(tab))}>
        <Tabs.List className={css.tabs} aria-label={name}>
          {all.map(([tab, title]) => (
            <Tabs.Tab key={tab} value={tab} className={css.tab}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {more.tabs.map(({ id, Content }) => (
          <Tabs.Panel key={id} value={id}>
            <Content {...{ item, itemPath, etag, fields }} />
          </Tabs.Panel>
        ))}
        <Tabs.Panel value="fields">
          <FilePreview item={item} />
          <Values item={item} shown={fields.shown} near={itemPath} />
          <Related {...{ resource, fields, item, itemPath }} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <Suspense fallback={<p role="status">{words.loading}</p>}>
            <History id={String(item.id ?? '')} type={String(item.type ?? '')} shown={fields.shown} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="json">
          <Snippet text={JSON.stringify(body, null, 2)} label={words.list.json} />
        </Tabs.Panel>
        <Tabs.Panel value="curl">
          <Snippet text={curlOf({ path: itemPath })} label={words.list.curl} />
        </Tabs.Panel>
      </Tabs.Root>
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

/** What an object is called. A number, and the id of another object, need to be told from others. */
function Heading({
  resource,
  fields,
  item,
  itemPath,
}: Pick<RecordScreenProps, 'resource' | 'fields' | 'itemPath'> & { readonly item: Item }) {
  const refers = fields.shown.find(({ path }) => path === 'id')?.refers
  const source = refers === undefined ? undefined : sourceOf(refers, itemPath)
  const of = useName(source, source ? String(item.id) : '')?.name
  const name = of ?? shortId(nameOf(item, fields.shown))
  return (
    <>
      {of !== undefined || /^[\d…]/.test(name) ? words.record.named(labelOf(resource.noun[0]), name) : name}
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
  const said = new Set<string>()
  const paths = possibleColumns(shown, [item]).filter((path) => {
    const value = valueAt(item, path)
    // Some values are in two places of an object. The id stands above.
    const text = `${titleOf(path, shown)} ${JSON.stringify(value)}`
    if (said.has(text)) return false
    said.add(text)
    return path !== 'id' && value !== undefined && !isEmpty(value) && !isForPrograms(value)
  })
  return (
    <dl className={css.values}>
      {paths.map((path) => {
        const field = shown.find((one) => one.path === path)
        return (
          <div key={path}>
            <dt>{titleOf(path, shown)}</dt>
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
  if (isGone) return <Notice isPage sign="∅" title={gone} about={goneAbout} />
  return (
    <Notice isPage sign="⚠" title={failed} about={faultTexts(error).join(' ')}>
      <Button onClick={onRetry}>{words.retry}</Button>
    </Notice>
  )
}
