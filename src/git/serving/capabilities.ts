import type { FetchCapabilities } from '../protocol/advertise.ts'

/** What fetches may use: all of it is older than the oldest supported Git. */
export const fetchCapabilities: FetchCapabilities = {
  v1: [
    ...[
      'multi_ack',
      'thin-pack',
      'side-band',
      'side-band-64k',
      'ofs-delta',
      'shallow',
      'deepen-since',
    ],
    ...[
      'deepen-not',
      'deepen-relative',
      'no-progress',
      'include-tag',
      'multi_ack_detailed',
      'no-done',
    ],
  ],
  fetch: ['shallow', 'wait-for-done', 'filter'],
}
