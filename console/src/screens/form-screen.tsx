import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ResourceFields } from '../api/document.ts'
import type { Item } from '../api/objects.ts'
import { keptAs } from '../api/preferences.ts'
import type { Place } from '../api/resources.ts'
import { fillPath, isSingle } from '../api/resources.ts'
import { nameOf } from '../fields/names.ts'
import { ObjectForm } from '../forms/object-form.tsx'
import { UploadForm } from '../forms/upload-form.tsx'
import { useActions } from '../parts/actions.ts'
import { faultTexts } from '../parts/faults.tsx'
import { Notice } from '../parts/notice.tsx'
import { itemQuery } from '../records/record-screen.tsx'
import { words } from '../words/words.ts'
import { type Secret, SecretWindow, secretIn } from './secret-window.tsx'

interface FormScreenProps {
  readonly place: Place
  readonly fields: ResourceFields
  /** A value that a new object has already, by the path of its field. */
  readonly preset: { readonly path: string; readonly value: string } | undefined
  onDone(path: string): void
  onCancel(): void
}

/** The form of a new object, or of one that exists. */
export function FormScreen({ place, fields: first, preset, onDone, onCancel }: FormScreenProps) {
  // Others may add fields while somebody types: those are in the next form.
  const [fields] = useState(first)
  const { resource, listPath, itemPath } = place
  const queries = useQueryClient()
  const [shown, setShown] = useState<{ readonly secret: Secret; readonly path: string }>()
  // Only what is read now may be changed: an old version would be refused, or ask about conflicts that are none.
  const query = useQuery({
    ...itemQuery(itemPath ?? ''),
    enabled: itemPath !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
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
      onSaved: ({ id }: Item, answer: unknown) => {
        const path = resource.item && id ? `${listPath}/${String(id)}` : listPath
        const secret = secretIn(answer)
        if (secret) setShown({ secret, path })
        else onSaved(path)
      },
    }
    return (
      <>
        <h1>{words.form.create(resource.noun[0])}</h1>
        {body.isForm ? (
          <UploadForm {...own} />
        ) : (
          <ObjectForm {...own} preset={preset} write={resource.create} draftKey={keptAs(listPath)} />
        )}
        {shown && <SecretWindow secret={shown.secret} onDone={() => onSaved(shown.path)} />}
      </>
    )
  }
  if (query.error)
    return <Notice isPage sign="⚠" title={words.record.failed} about={faultTexts(query.error).join(' ')} />
  if (!query.data || !fields.update || !resource.update) return <p role="status">{words.loading}</p>
  const { item, etag } = query.data
  return (
    <>
      <h1>{words.form.edit(isSingle(resource) ? resource.title : nameOf(item, fields.shown))}</h1>
      <ObjectForm
        body={fields.update}
        write={resource.update}
        path={fillPath(resource.item ?? '', itemPath)}
        draftKey={keptAs(itemPath)}
        item={item}
        etag={etag}
        onSaved={() => onSaved(itemPath)}
        onCancel={onCancel}
      />
    </>
  )
}
