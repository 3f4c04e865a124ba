import { z } from 'zod'
import { changeRequest } from '../../../access/guards/change-request.ts'
import { page, Redirect } from '../../frame/page.ts'
import { loadRequest } from '../load-request.ts'
import { loadFiles } from './load.ts'
import { filesView } from './view.tsx'

const Query = z.object({
  /** The one file that is shown, by its path. */
  file: z.string().min(1).max(4_096).optional(),
  from: z.coerce.number().int().min(0).max(1_000_000).default(0),
})

/** The files besides pages that a change request changes. */
export const filesPage = page({
  path: '/s/:spaceId/changes/:changeRequestId/files',
  scope: 'change-requests:read',
  access: changeRequest('read'),
  query: Query,
  load: async asked => {
    const data = await loadRequest(asked, '/files')
    return data instanceof Redirect ? data : loadFiles(data, asked.query, asked)
  },
  view: filesView,
})
