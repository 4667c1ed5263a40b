import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, useSyncExternalStore } from 'react'
import type { ResourceFields } from '../api/document.ts'
import type { Item } from '../api/objects.ts'
import type { Place } from '../api/resources.ts'
import { fillPath, isSingle } from '../api/resources.ts'
import { sessionStore } from '../api/session.ts'
import { nameOf } from '../fields/names.ts'
import { ObjectForm } from '../forms/object-form.tsx'
import { UploadForm } from '../forms/upload-form.tsx'
import { useActions } from '../parts/actions.ts'
import { faultTexts } from '../parts/faults.tsx'
import { Notice } from '../parts/notice.tsx'
import { itemQuery } from '../records/record-screen.tsx'
import { words } from '../words/words.ts'

interface FormScreenProps {
  readonly place: Place
  readonly fields: ResourceFields
  onDone(path: string): void
  onCancel(): void
}

/** The form of a new object, or of one that exists. */
export function FormScreen({ place, fields: first, onDone, onCancel }: FormScreenProps) {
  // Others may add fields while somebody types: those are in the next form.
  const [fields] = useState(first)
  const { resource, listPath, itemPath } = place
  const queries = useQueryClient()
  // Only what is read now may be changed: an old version would be refused, or ask about conflicts that are none.
  const query = useQuery({
    ...itemQuery(itemPath ?? ''),
    enabled: itemPath !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { session } = useSyncExternalStore(sessionStore.subscribe, sessionStore.get)
  const keyOf = (path: string) => `${session?.id} ${path}`
  const onSaved = async (path: string) => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['list'] }),
      queries.invalidateQueries({ queryKey: ['item', path] }),
    ])
    onDone(path)
  }
  const save = () => document.querySelector<HTMLFormElement>('#content form')?.requestSubmit()
  useActions([{ title: words.shell.saveForm, keys: 's', run: save }])
  if (!itemPath) {
    if (!fields.create || !resource.create) return null
    const { create: body } = fields
    const own = {
      ...{ body, path: listPath, onCancel },
      onSaved: ({ id }: Item) => onSaved(resource.item && id ? `${listPath}/${String(id)}` : listPath),
    }
    return (
      <>
        <h1>{words.form.create(resource.title)}</h1>
        {body.isForm ? (
          <UploadForm {...own} />
        ) : (
          <ObjectForm {...own} write={resource.create} draftKey={keyOf(listPath)} />
        )}
      </>
    )
  }
  if (query.error)
    return <Notice sign="⚠" title={words.record.failed} about={faultTexts(query.error).join(' ')} />
  if (!query.data || !fields.update || !resource.update) return <p role="status">{words.loading}</p>
  const { item, etag } = query.data
  return (
    <>
      <h1>{words.form.edit(isSingle(resource) ? resource.title : nameOf(item, fields.shown))}</h1>
      <ObjectForm
        body={fields.update}
        write={resource.update}
        path={fillPath(resource.item ?? '', itemPath)}
        draftKey={keyOf(itemPath)}
        item={item}
        etag={etag}
        onSaved={() => onSaved(itemPath)}
        onCancel={onCancel}
      />
    </>
  )
}
