/** The texts of the screen of a stock level, in English. */
export const stock = {
  tab: 'Stock',
  amounts: { available: 'Available', allocated: 'Allocated to orders', total: 'Total' },
  kind: 'Kind',
  kinds: {
    increment: 'Add',
    decrement: 'Take away',
    set: 'Set the total to',
    allocate: 'Allocate',
    deallocate: 'Give back what is allocated',
  },
  amount: 'Amount',
  location: 'Location',
  nowhere: '(no location)',
  submit: 'Change the stock',
  done: 'The stock has been changed.',
  unknown:
    'A change was sent, and no answer has come. The same request again does it once: if it was done, the server repeats its answer.',
  again: 'Send the same again',
  drop: 'Forget it',
}
