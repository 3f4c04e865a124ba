import { routes } from '../../http/endpoint.ts'
import { getChangeRequestPDF, getSpacePDF } from './endpoints.ts'

export const pdfRoutes = routes({
  'GET /spaces/:spaceId/pdf': getSpacePDF,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/pdf': getChangeRequestPDF,
})
