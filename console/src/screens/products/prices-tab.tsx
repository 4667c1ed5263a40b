import { Link } from '@tanstack/react-router'
import { valueAt } from '../../api/objects.ts'
import { resourceOf } from '../../api/resources.ts'
import { useRights } from '../../api/rights.ts'
import { type Digits, decimalOf, digitsOf, minorOf, useCurrencies } from '../../fields/currencies.ts'
import { Button } from '../../parts/button.tsx'
import { faultTexts } from '../../parts/faults.tsx'
import { Notice } from '../../parts/notice.tsx'
import type { TabProps } from '../../records/record-parts.ts'
import { screenWords, words } from '../../words/words.ts'
import { PriceGrid } from './price-grid.tsx'
import type { AmountTexts } from './prices.ts'
import css from './products.module.css'
import { usePrices } from './use-prices.ts'

/** The prices of a product: all price books by all currencies. */
export function PricesTab({ item, itemPath }: TabProps) {
  const { prices } = screenWords.products
  const rights = useRights()
  const known = useCurrencies()
  const sku = String(valueAt(item, 'attributes.sku') ?? '')
  const { data, error, refetch } = usePrices(itemPath, sku)
  const { create, update, remove } = resourceOf('prices') ?? {}
  if (rights.isKnown && !rights.may('read pricebooks'))
    return (
      <Notice
        sign="⊘"
        title={prices.noRight}
        about={words.rights.missing('read pricebooks', rights.role ?? '')}
      />
    )
  if (sku === '')
    return (
      <Notice sign="∅" title={prices.noSku} about={prices.noSkuAbout}>
        <Link to="/$" params={{ _splat: itemPath.slice(1) }} search={{ form: 'edit' }}>
          {words.edit}
        </Link>
      </Notice>
    )
  if (error)
    return (
      <Notice sign="⚠" title={words.list.failed} about={faultTexts(error).join(' ')}>
        <Button onClick={() => void refetch()}>{words.retry}</Button>
      </Notice>
    )
  if (!data || !known || !create || !update || !remove) return <p role="status">{words.loading}</p>
  if (data.rows.length === 0)
    return (
      <Notice sign="∅" title={prices.noBooks} about={prices.noBooksAbout}>
        <Link to="/$" params={{ _splat: 'pcm/pricebooks' }} search={{ form: 'new', back: itemPath }}>
          {prices.newBook}
        </Link>
      </Notice>
    )
  const currencies = [
    ...new Set([...known.keys(), ...data.rows.flatMap((row) => Object.keys(row.currencies))]),
  ]
  return (
    <>
      <p className={css.dim}>
        {prices.about(sku)} {data.others > 0 && prices.others(data.others)}
      </p>
      <PriceGrid
        {...{ itemPath, sku, currencies, create, update, remove }}
        rows={data.rows}
        texts={textsOf(known)}
      />
      {!rights.may(update.right) && rights.role && (
        <p className={css.dim}>{words.rights.mayNotChange(rights.role)}</p>
      )}
    </>
  )
}

const textsOf = (known: Digits): AmountTexts => ({
  write: (minor, currency) => decimalOf(String(minor), digitsOf(known, currency)),
  read(text, currency) {
    const minor = minorOf(text, digitsOf(known, currency))
    return minor === undefined ? undefined : Number(minor)
  },
})
