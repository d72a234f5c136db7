import { suite } from "./suites";

suite("adapters");
