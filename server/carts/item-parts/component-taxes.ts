import { action } from '../../kernel/declare/action.ts'
import { taxItem } from '../shown/included.ts'
import { addTax, ofComponent, removeTax, taxFields, taxRules, updateTax } from './tax-holder.ts'

const area = 'cart-taxes'

/** Adds a tax item to a component of a bundle. */
export const addTaxItemToComponent = action({
  name: 'add-tax-item-to-component',
  route: 'POST /v2/carts/:cart_id/items/:item_id/components/:product_id/taxes',
  about:
    'Adds a tax item to a component of a bundle. The tax is calculated from the own price of the component, and joins the tax of the item.',
  area,
  status: 201,
  queuesBy: 'cart_id',
  body: { type: 'tax_item', fields: taxFields, rules: taxRules },
  shows: { data: taxItem },
  run: (ctx, { params, body }) =>
    addTax(ctx, params.cart_id, ofComponent(params.item_id, params.product_id), body),
})

/** Changes a tax item of a component. */
export const updateTaxItemOfComponent = action({
  name: 'update-tax-item-of-component',
  route: 'PUT /v2/carts/:cart_id/items/:item_id/components/:product_id/taxes/:tax_id',
  about:
    'Changes a tax item of a component of a bundle. To change from a rate to an amount, or back, send the other as null.',
  area,
  status: 200,
  queuesBy: 'cart_id',
  body: { type: 'tax_item', typeOptional: true, fields: taxFields },
  shows: { data: taxItem },
  run: (ctx, { params, body }) =>
    updateTax(ctx, params.cart_id, ofComponent(params.item_id, params.product_id), params.tax_id, body),
})

/** Removes a tax item of a component. */
export const deleteTaxItemOfComponent = action({
  name: 'delete-tax-item-of-component',
  route: 'DELETE /v2/carts/:cart_id/items/:item_id/components/:product_id/taxes/:tax_id',
  about: 'Removes a tax item of a component of a bundle.',
  area,
  status: 204,
  queuesBy: 'cart_id',
  shows: { body: null },
  run: (ctx, { params }) =>
    removeTax(ctx, params.cart_id, ofComponent(params.item_id, params.product_id), params.tax_id),
})
