import { hideText } from '../../kernel/shape/hide-personal.ts'
import type { CartLine, CartShippingGroup, Contents } from './contents.ts'

/**
 * The contents without what shoppers write into them. Prices, quantities and products stay, and so does what only
 * sellers write: taxes, discounts, and the attributes of items.
 */
export const withoutShoppersTexts = (contents: Contents): Contents => ({
  ...contents,
  lines: contents.lines.map(withoutTextsOfLine),
  shippingGroups: contents.shippingGroups.map(withoutTextsOfGroup),
})

/** The inputs go as a whole: shoppers choose their names, too. */
function withoutTextsOfLine(line: CartLine): CartLine {
  const { customInputs: _, ...others } = line
  if (others.kind === 'cart_item') return { ...others, location: hideText(others.location) }
  const { name, description, sku } = others
  return { ...others, name: hideText(name), description: hideText(description), sku: hideText(sku) }
}

export const withoutTextsOfGroup = ({
  address: _address,
  deliveryEstimate: _estimate,
  ...group
}: CartShippingGroup): CartShippingGroup => ({
  ...group,
  shippingType: hideText(group.shippingType),
  trackingReference: hideText(group.trackingReference),
  externalRef: hideText(group.externalRef),
})
