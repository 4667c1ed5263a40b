import { useState } from 'react'
import { Controller, useForm } from 'react-hook-form'
import { send } from '../api/client.ts'
import type { Body, FieldFacts } from '../api/document.ts'
import { type Item, isItem, valueAt } from '../api/objects.ts'
import { ApiProblem } from '../api/problem.ts'
import { Editor } from '../fields/editor.tsx'
import { currencyOf, faultOf } from '../fields/values.ts'
import { Button } from '../parts/button.tsx'
import { Faults, faultTexts } from '../parts/faults.tsx'
import { words } from '../words/words.ts'
import { bodyOf, changedFields, fieldsOfForm, pathOfSource, startTexts, type Texts } from './body.ts'
import { type Conflict, readConflict } from './conflict.ts'
import { ConflictWindow } from './conflict-window.tsx'
import css from './forms.module.css'

export interface ObjectFormProps {
  readonly body: Body
  readonly method: 'POST' | 'PUT'
  readonly path: string
  /** The object to change, with the version that was read; a new one without. */
  readonly item?: Item
  readonly etag?: string | undefined
  onSaved(item: Item): void
  onCancel(): void
}

/** How many fields that are not required are shown before the rest is folded. */
const openMax = 8

/** The form of react-hook-form would take the dots of a path for objects. */
const nameOf = (path: string) => `field:${path.replaceAll('.', '/')}`
const named = (texts: Texts) =>
  Object.fromEntries(Object.entries(texts).map(([path, text]) => [nameOf(path), text]))

/** Creates or changes an object, by the body that the document describes. */
export function ObjectForm({ body, method, path, item, etag, onSaved, onCancel }: ObjectFormProps) {
  const [start, setStart] = useState(() => startTexts(body, item))
  const [version, setVersion] = useState(etag)
  const [conflict, setConflict] = useState<Conflict>()
  const [faults, setFaults] = useState<readonly string[]>([])
  const form = useForm<Record<string, string>>({ defaultValues: named(start), mode: 'onTouched' })
  const fields = fieldsOfForm(body)
  const { isSubmitting } = form.formState

  const textsNow = (): Texts =>
    Object.fromEntries(fields.map((field) => [field.path, form.getValues(nameOf(field.path)) ?? '']))

  async function save(texts: Texts, from: Texts, known: string | undefined): Promise<void> {
    setFaults([])
    if (item && changedFields(body, from, texts).length === 0) return setFaults([words.form.unchanged])
    try {
      const headers = known ? { 'if-match': known } : {}
      const answer = await send({ method, path, body: bodyOf(body, from, texts, item), headers })
      const data = valueAt(answer.body, 'data')
      onSaved(isItem(data) ? data : {})
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      await refuse(error, texts, from)
    }
  }

  async function refuse(error: ApiProblem, texts: Texts, from: Texts): Promise<void> {
    if (error.status === 412 && item) {
      const next = await readConflict(path, body, from, texts).catch((other: unknown) => other)
      if (next instanceof Error || !next) return setFaults([words.conflict.gone])
      return settle(next as Conflict)
    }
    const others = error.faults.filter((fault) => {
      const at = pathOfSource(fault.source, fields)
      if (at === undefined) return true
      form.setError(nameOf(at), { message: fault.detail ?? fault.title }, { shouldFocus: true })
      return false
    })
    if (others.length || !error.faults.length)
      setFaults(faultTexts(new ApiProblem(error.status, others, error.requestId)))
  }

  /** What touches other fields is merged without a question. */
  async function settle(next: Conflict): Promise<void> {
    if (next.clashes.length) return setConflict(next)
    await saveOver(next, {})
  }

  async function saveOver(next: Conflict, chosen: Texts): Promise<void> {
    const texts = { ...next.texts, ...chosen }
    setConflict(undefined)
    setStart(next.start)
    setVersion(next.etag)
    form.reset(named(texts))
    await save(texts, next.start, next.etag)
  }

  const currencyIn = (field: FieldFacts) =>
    (field.currencyAt && form.watch(nameOf(field.currencyAt))) || currencyOf(field, item)
  const needed = fields.filter(({ required }) => required)
  const others = fields.filter(({ required }) => !required)
  const open = [...needed, ...others.slice(0, openMax)]
  const folded = others.slice(openMax)
  const editors = (some: readonly FieldFacts[]) =>
    some.map((field) => (
      <Controller
        key={field.path}
        name={nameOf(field.path)}
        control={form.control}
        rules={{ validate: (text) => faultOf(field, text ?? '') }}
        render={({ field: { value, ref, onChange, onBlur }, fieldState: { error } }) => (
          <Editor
            field={field.path ? field : { ...field, path: words.form.body }}
            id={nameOf(field.path)}
            value={value ?? ''}
            fault={error?.message}
            near={path}
            currency={currencyIn(field)}
            {...{ ref, onChange, onBlur }}
          />
        )}
      />
    ))
  return (
    <form
      className={css.form}
      noValidate
      onSubmit={form.handleSubmit(
        () => save(textsNow(), start, version),
        (wrong) => setFaults([words.form.faults(Object.keys(wrong).length)]),
      )}
    >
      {editors(open)}
      {folded.length > 0 && (
        <details>
          <summary>{words.form.optional}</summary>
          <div className={css.form}>{editors(folded)}</div>
        </details>
      )}
      <Faults texts={faults} />
      <div className={css.bar}>
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button look="main" type="submit" disabled={isSubmitting}>
          {words.save}
        </Button>
      </div>
      {conflict && (
        <ConflictWindow
          conflict={conflict}
          onKeep={(chosen) => saveOver(conflict, chosen)}
          onClose={() => setConflict(undefined)}
        />
      )}
    </form>
  )
}
