import type { ProductData } from '../../../rules/product-data.ts'

export interface UserDataTable extends ProductData {
  user_id: string
}
