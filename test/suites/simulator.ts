import { suite } from "./suites";

suite("simulator");
