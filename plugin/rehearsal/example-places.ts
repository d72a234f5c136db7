/** The namespaces of the example. */
export interface ExamplePlaces {
  readonly operator: string;
  /** Namespaces with databases that the operator watches. */
  readonly consumers: readonly [string, string];
  /** Was watched once; its RBAC was left behind. */
  readonly former: string;
}
