import { useEffect, useRef, useState } from 'react'
import { Controller, useForm } from 'react-hook-form'
import type { Body, FieldFacts, Write } from '../api/document.ts'
import { useObjectChanges } from '../api/object-changes.ts'
import { type Item, isItem, valueAt } from '../api/objects.ts'
import { ApiProblem } from '../api/problem.ts'
import { Editor } from '../fields/editor.tsx'
import { fieldTitle } from '../fields/names.ts'
import { currencyOf, faultOf } from '../fields/values.ts'
import { Button } from '../parts/button.tsx'
import { Faults, faultTexts } from '../parts/faults.tsx'
import { timeText } from '../words/times.ts'
import { words } from '../words/words.ts'
import { bodyOf, changedFields, fieldsOfForm, pathOfSource, startTexts, type Texts } from './body.ts'
import { type Conflict, readConflict } from './conflict.ts'
import { ConflictWindow } from './conflict-window.tsx'
import { DraftNotice } from './draft-notice.tsx'
import css from './forms.module.css'
import { useCheck } from './use-check.ts'
import { useDraft } from './use-draft.ts'
import { useWriter } from './use-writer.ts'

export interface ObjectFormProps {
  readonly body: Body
  readonly write: Write
  /** Where it is sent. */
  readonly path: string
  /** Who types and where, for what is typed and not saved. */
  readonly draftKey: string
  /** The object to change, with the version that was read; a new one without. */
  readonly item?: Item
  /** A value that a new object has already, by the path of its field. */
  readonly preset?: { readonly path: string; readonly value: string } | undefined
  readonly etag?: string | undefined
  /** The object that an action is about: its amounts are in the currency of that. */
  readonly about?: Item
  /** What is chosen may belong to the parents in this path, if that is not the path of the request. */
  readonly near?: string
  /** The field whose value is the last parameter of the path. */
  readonly idAt?: string
  /** What the button says, and how it looks. */
  readonly submit?: { readonly text: string; readonly look: 'main' | 'bad' }
  onSaved(item: Item, answer: unknown): void
  onCancel(): void
}

/** How many fields that are not required are shown before the rest is folded. */
const openMax = 8

/** The form of react-hook-form would take the dots of a path for objects. */
const nameOf = (path: string) => `field:${path.replaceAll('.', '/')}`
const named = (texts: Texts) =>
  Object.fromEntries(Object.entries(texts).map(([path, text]) => [nameOf(path), text]))

/** Creates or changes an object, or carries out an action, by the body that the document describes. */
export function ObjectForm(props: ObjectFormProps) {
  const { body, write, path, draftKey, item, preset, about = item, submit, onSaved, onCancel } = props
  const [first] = useState(() => startTexts(body, item, preset))
  /** What the form began with: its texts, and the version of the object. */
  const base = useRef({ start: first, etag: props.etag })
  const isSaving = useRef(false)
  const [conflict, setConflict] = useState<Conflict>()
  const [meanwhile, setMeanwhile] = useState<string>()
  const [faults, setFaults] = useState<readonly string[]>([])
  const form = useForm<Record<string, string>>({ defaultValues: named(first), mode: 'onTouched' })
  const draft = useDraft(draftKey)
  const writer = useWriter(write, path)
  const fields = fieldsOfForm(body)
  const { isSubmitting } = form.formState
  const check = useCheck(rehearse)

  const textsNow = (): Texts =>
    Object.fromEntries(fields.map((field) => [field.path, form.getValues(nameOf(field.path)) ?? '']))

  useObjectChanges(item && write.ifMatch ? String(item.type) : undefined, String(item?.id ?? ''), () =>
    tellOfChange().catch(() => {}),
  )

  /** Where it is sent: some objects have the id of another one, which is chosen in the form. */
  const pathFor = (texts: Texts): string => {
    const id = props.idAt === undefined ? undefined : texts[props.idAt]
    return id ? path.replace(/\{\w+\}$/, encodeURIComponent(id)) : path
  }

  useEffect(() => form.subscribe({ formState: { values: true }, callback: onTyped }))

  function onTyped({ name }: { readonly name?: string | undefined }): void {
    // What is no longer wrong goes while somebody types, and not when the field is left: a button would move away
    // from the pointer that presses it.
    if (name && form.getFieldState(name).error) form.trigger(name)
    const texts = textsNow()
    const typed = changedFields(body, base.current.start, texts).filter(({ secret }) => !secret)
    draft.keep({
      ...base.current,
      texts: Object.fromEntries(typed.map((field) => [field.path, texts[field.path] ?? ''])),
    })
    check.schedule()
  }

  /** Says what is wrong with what was typed so far: first by the document, then by the server. The rest is not yet. */
  async function rehearse(signal: AbortSignal): Promise<void> {
    const texts = textsNow()
    const { start, etag } = base.current
    const typed = changedFields(body, start, texts)
    const wrong = typed.filter((field) => faultOf(field, texts[field.path] ?? ''))
    // Who searches has not chosen yet: that is said when the field is left.
    const told = wrong.filter(({ kind }) => kind !== 'reference' && kind !== 'references')
    if (told.length) await form.trigger(told.map((field) => nameOf(field.path)))
    if (wrong.length || !typed.length || !write.dryRun) return
    const problem = await writer
      .rehearse(bodyOf(body, start, texts, item), etag, signal, pathFor(texts))
      .then(
        () => undefined,
        (error: unknown) => error,
      )
    if (signal.aborted) return
    for (const { path } of typed)
      if (form.getFieldState(nameOf(path)).error?.type === 'server') form.clearErrors(nameOf(path))
    if (!(problem instanceof ApiProblem)) return
    if (problem.status === 412) return tellOfChange()
    showFaults(problem, typed)
  }

  async function tellOfChange(): Promise<void> {
    const { etag, who, when } = await readConflict(path, body, base.current.start, textsNow())
    // The change may be that which is being saved here, or one that is merged already.
    if (isSaving.current || etag === base.current.etag) return
    setMeanwhile(
      who && when ? words.conflict.meanwhile(who, timeText(when)) : words.conflict.meanwhileUnknown,
    )
  }

  /** Shows what is wrong at its field. Returns the faults of no field. */
  function showFaults(problem: ApiProblem, among: readonly FieldFacts[], shouldFocus = false) {
    return problem.faults.filter((fault) => {
      const at = pathOfSource(fault.source, fields)
      if (at === undefined) return true
      const isShown = among.some(({ path }) => path === at)
      if (isShown)
        form.setError(nameOf(at), { type: 'server', message: fault.detail ?? fault.title }, { shouldFocus })
      return false
    })
  }

  async function save(texts: Texts, from: Texts, known: string | undefined): Promise<void> {
    check.stop()
    setFaults([])
    if (item && changedFields(body, from, texts).length === 0) return setFaults([words.form.unchanged])
    isSaving.current = true
    try {
      const answer = await writer.write(bodyOf(body, from, texts, item), known, pathFor(texts))
      await draft.finish()
      const data = valueAt(answer.body, 'data')
      onSaved(isItem(data) ? data : {}, answer.body)
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      isSaving.current = false
      await refuse(error, texts, from)
    }
  }

  async function refuse(error: ApiProblem, texts: Texts, from: Texts): Promise<void> {
    if (error.status === 412 && item) {
      const next = await readConflict(path, body, from, texts).catch((other: unknown) => other)
      if (next instanceof Error || !next) return setFaults([words.conflict.gone])
      return settle(next as Conflict)
    }
    const others = showFaults(error, fields, true)
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
    setMeanwhile(undefined)
    begin(next.start, next.etag, texts)
    await save(texts, next.start, next.etag)
  }

  function begin(from: Texts, known: string | undefined, texts: Texts): void {
    base.current = { start: from, etag: known }
    form.reset(named(from))
    for (const [path, text] of Object.entries(texts))
      form.setValue(nameOf(path), text, { shouldDirty: true, shouldTouch: text !== from[path] })
  }

  /** The version that was read then is sent, so what others changed since is a conflict as any other. */
  function restore(): void {
    if (!draft.offer) return
    const { offer } = draft
    const now = textsNow()
    const typed = changedFields(body, base.current.start, now).map(({ path }) => [path, now[path] ?? ''])
    const { start, etag } = write.ifMatch ? offer : base.current
    draft.settle()
    begin(start, etag, { ...start, ...offer.texts, ...Object.fromEntries(typed) })
  }

  const currencyIn = (field: FieldFacts) =>
    (field.currencyAt && form.watch(nameOf(field.currencyAt))) || currencyOf(field, about)
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
            field={field.path ? field : { ...field, path: field.refers ?? words.form.body }}
            id={nameOf(field.path)}
            value={value ?? ''}
            fault={error?.message}
            near={props.near ?? path}
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
        () => save(textsNow(), base.current.start, base.current.etag),
        (wrong) => setFaults([words.form.faults(Object.keys(wrong).length)]),
      )}
    >
      {draft.offer && <DraftNotice draft={draft.offer} onRestore={restore} onDiscard={draft.discard} />}
      {editors(open)}
      {folded.length > 0 && (
        <details>
          <summary>{words.form.optional(folded.map(fieldTitle))}</summary>
          <div className={css.form}>{editors(folded)}</div>
        </details>
      )}
      {meanwhile && (
        <p className={css.notice} role="status">
          {meanwhile}
        </p>
      )}
      <Faults texts={faults} />
      <div className={css.bar}>
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button look={submit?.look ?? 'main'} type="submit" disabled={isSubmitting}>
          {submit?.text ?? words.save}
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
