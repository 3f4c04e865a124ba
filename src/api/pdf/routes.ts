import { routes } from '../../http/endpoint.ts'

export const pdfRoutes = routes({})
