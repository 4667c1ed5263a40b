import { type FormEvent, useId } from 'react'
import { type Item, valueAt } from '../../api/objects.ts'
import { useCurrencies } from '../../fields/currencies.ts'
import { Button } from '../../parts/button.tsx'
import parts from '../../parts/parts.module.css'
import type { TimeZone } from '../../words/times.ts'
import { screenWords } from '../../words/words.ts'
import css from './products.module.css'
import type { Shopper } from './shop.ts'

interface ShopperFormProps {
  readonly shopper: Shopper
  readonly zone: TimeZone
  /** The catalog that was chosen; undefined for that of the shopper. */
  readonly catalogId: string | undefined
  readonly catalogs: readonly Item[]
  onChange(shopper: Shopper, catalogId: string | undefined): void
  /** Somebody has asked for the same again. */
  onAgain(): void
}

/** Who looks at the shop. What is chosen counts at once, what is typed when somebody submits it or leaves the field. */
export function ShopperForm({ shopper, zone, catalogId, catalogs, onChange, onAgain }: ShopperFormProps) {
  const id = useId()
  const { form, kinds } = screenWords.products.shop
  const currencies = [...(useCurrencies()?.keys() ?? [])]
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values = new FormData(event.currentTarget)
    const text = (name: string) => String(values.get(name) ?? '')
    const kind = (['guest', 'customer', 'member'] as const).find((one) => one === text('kind')) ?? 'guest'
    const [token, channel, tags] = [text('token'), text('channel'), text('tags')]
    onChange(
      { kind, token, channel, tags, currency: text('currency'), at: text('at') },
      text('catalog') || undefined,
    )
    if (event.nativeEvent instanceof SubmitEvent && event.nativeEvent.submitter) onAgain()
  }
  const own = (name: string) => ({ id: `${id}-${name}`, name, className: parts.input })
  return (
    <form
      className={css.shopper}
      onSubmit={submit}
      onChange={({ target, currentTarget }) => {
        if (target instanceof HTMLSelectElement) currentTarget.requestSubmit()
      }}
      onBlur={({ target, currentTarget }) => {
        if (target instanceof HTMLInputElement) currentTarget.requestSubmit()
      }}
    >
      <div>
        <label htmlFor={`${id}-kind`}>{form.kind}</label>
        <select {...own('kind')} defaultValue={shopper.kind}>
          {(['guest', 'customer', 'member'] as const).map((kind) => (
            <option key={kind} value={kind}>
              {kinds[kind]}
            </option>
          ))}
        </select>
      </div>
      {shopper.kind !== 'guest' && (
        <div>
          <label htmlFor={`${id}-token`}>{form.token}</label>
          <input {...own('token')} type="password" autoComplete="off" aria-describedby={`${id}-about`} />
        </div>
      )}
      <div>
        <label htmlFor={`${id}-channel`}>{form.channel}</label>
        <input {...own('channel')} autoComplete="off" defaultValue={shopper.channel} />
      </div>
      <div>
        <label htmlFor={`${id}-tags`}>{form.tags}</label>
        <input {...own('tags')} autoComplete="off" defaultValue={shopper.tags} />
      </div>
      <div>
        <label htmlFor={`${id}-at`}>{form.at(zone.name)}</label>
        <input {...own('at')} type="datetime-local" defaultValue={shopper.at} />
      </div>
      <div>
        <label htmlFor={`${id}-currency`}>{form.currency}</label>
        <select {...own('currency')} defaultValue={shopper.currency}>
          <option value="">{form.usualCurrency}</option>
          {currencies.map((code) => (
            <option key={code}>{code}</option>
          ))}
        </select>
      </div>
      <div>
        <label htmlFor={`${id}-catalog`}>{form.catalog}</label>
        <select {...own('catalog')} defaultValue={catalogId ?? ''}>
          <option value="">{form.ownCatalog}</option>
          {catalogs.map((one) => (
            <option key={String(one.id)} value={String(one.id)}>
              {String(valueAt(one, 'attributes.name'))}
            </option>
          ))}
        </select>
      </div>
      <Button type="submit">{form.submit}</Button>
      {shopper.kind !== 'guest' && (
        <p id={`${id}-about`} className={css.dim}>
          {form.tokenAbout}
        </p>
      )}
    </form>
  )
}
