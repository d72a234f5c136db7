/** Answers of the API server about a conversion that fails. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { conversionFailure } from "../../../../plugin/domain/operator/conversion";

test.each<[string, string, string, string]>([
  [
    "a kind of the product's",
    'Internal error occurred: conversion webhook for app.engine.com/v1, Kind=EngineEnterpriseDatabaseList failed: Post "https://hooks.old.svc:443/c": dial tcp 10.0.0.1:443: connect: connection refused',
    "engineenterprisedatabases.app.engine.com",
    "Service old/hooks",
  ],
  [
    "a kind that the names do not know, by a URL",
    'conversion webhook for app.engine.com/v2, Kind=Backup failed: Post "https://hooks.example/c": EOF',
    "backups.app.engine.com",
    "a webhook",
  ],
])("%s", (...row) => {
  const [, message, definition, through] = row;
  const finding = conversionFailure(message, names);
  expect(finding?.object).toBe(`CustomResourceDefinition/${definition}`);
  expect(finding?.cause).toContain(`it converts through ${through}, which does not answer`);
  expect(finding?.fix).toContain(
    `kubectl patch customresourcedefinition ${definition} --type=merge`,
  );
});

test("another answer is none", () => {
  expect(conversionFailure("etcdserver: leader changed", names)).toBeUndefined();
});
